// Product of two matrices, blocked in three dimensions; prints the least processor time in ns.
#include <stdio.h>
#include <time.h>

#define TILE_I 16  // tune: 4 8 16 32 64
#define TILE_J 32  // tune: 16 32 64 128 256
#define TILE_K 16  // tune: 4 8 16 32 64
#define UNROLL 1   // tune: 1 2 4 8
// tune-if: TILE_I * TILE_K <= 4096
// tune-if: TILE_K >= UNROLL
// tune-if: TILE_I * TILE_J >= 512

enum { N = 256 };
static float a[N][N], b[N][N], c[N][N];

static void multiply() {
    for (int i = 0; i < N; ++i)
        for (int j = 0; j < N; ++j) c[i][j] = 0;
    for (int jj = 0; jj < N; jj += TILE_J)
        for (int kk = 0; kk < N; kk += TILE_K)
            for (int ii = 0; ii < N; ii += TILE_I)
                for (int i = ii; i < ii + TILE_I; ++i)
                    for (int k = kk; k < kk + TILE_K; k += UNROLL)
                        for (int j = jj; j < jj + TILE_J; ++j) {
                            float sum = c[i][j];
                            for (int u = 0; u < UNROLL; ++u) sum += a[i][k + u] * b[k + u][j];
                            c[i][j] = sum;
                        }
}

static long long now() {
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main() {
    unsigned seed = 1;
    for (int i = 0; i < N; ++i)
        for (int j = 0; j < N; ++j) {
            a[i][j] = (seed = seed * 1664525u + 1013904223u) % 8;
            b[i][j] = (seed = seed * 1664525u + 1013904223u) % 8;
        }
    long long least = 1LL << 62;
    for (int run = 0; run < 5; ++run) {
        long long begin = now();
        multiply();
        long long took = now() - begin;
        if (took < least) least = took;
    }
    double check = 0;
    for (int i = 0; i < N; ++i)
        for (int j = 0; j < N; ++j) check += c[i][j] * ((i + j) % 3);
    printf("%lld %.0f\n", least, check);
}
