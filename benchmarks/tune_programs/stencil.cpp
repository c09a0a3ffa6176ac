// A five-point stencil, several steps at a time on tiles; prints the least processor time in ns.
#include <stdio.h>
#include <string.h>
#include <time.h>

#define TILE_X 64  // tune: 16 32 64 128 256 512
#define TILE_Y 16  // tune: 4 8 16 32 64
#define STEPS 1    // tune: 1 2 4 8
constexpr int UNROLL = 1;  // tune: 1 2 4
// tune-if: TILE_X * TILE_Y <= 16384
// tune-if: TILE_X >= 2 * STEPS and TILE_Y >= STEPS

enum { N = 512, HALO = 8, W = N + 2 * HALO, ALL = 8 };
static float grid[2][W][W], start[W][W];
static float tile[2][TILE_Y + 2 * STEPS][TILE_X + 2 * STEPS];

static void advance() {
    int from = 0;
    for (int step = 0; step < ALL; step += STEPS, from ^= 1) {
        for (int y = HALO; y < HALO + N; y += TILE_Y)
            for (int x = HALO; x < HALO + N; x += TILE_X) {
                for (int i = 0; i < TILE_Y + 2 * STEPS; ++i)
                    memcpy(tile[0][i], &grid[from][y - STEPS + i][x - STEPS], sizeof tile[0][i]);
                for (int s = 1; s <= STEPS; ++s) {
                    auto& a = tile[(s - 1) & 1];
                    auto& b = tile[s & 1];
                    for (int i = s; i < TILE_Y + 2 * STEPS - s; ++i) {
#pragma GCC unroll UNROLL
                        for (int j = s; j < TILE_X + 2 * STEPS - s; ++j)
                            b[i][j] = 0.5f * a[i][j] +
                                      0.125f * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
                    }
                }
                for (int i = 0; i < TILE_Y; ++i)
                    memcpy(&grid[from ^ 1][y + i][x], &tile[STEPS & 1][STEPS + i][STEPS],
                           TILE_X * sizeof(float));
            }
    }
    if (from) memcpy(grid[0], grid[1], sizeof grid[0]);
}

static long long now() {
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main() {
    unsigned seed = 1;
    for (int i = 0; i < W; ++i)
        for (int j = 0; j < W; ++j) start[i][j] = (seed = seed * 1664525u + 1013904223u) >> 24;
    long long least = 1LL << 62;
    for (int run = 0; run < 5; ++run) {
        memcpy(grid[0], start, sizeof start);
        memcpy(grid[1], start, sizeof start);
        long long begin = now();
        advance();
        long long took = now() - begin;
        if (took < least) least = took;
    }
    double check = 0;
    for (int i = 4 * HALO; i < N - 2 * HALO; ++i)
        for (int j = 4 * HALO; j < N - 2 * HALO; ++j) check += grid[0][i][j];
    printf("%lld %.0f\n", least, check);
}
