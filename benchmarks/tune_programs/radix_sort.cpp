// Radix sort of keys with values, through write buffers; prints the least processor time in ns.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BITS 8     // tune: 3..12
#define BUFFER 1   // tune: 1 2 4 8 16 32
#define AHEAD 0    // tune: 0 16 64
#define SMALL 0    // tune: 0 1
// tune-if: BUFFER < 1 + 4096 / (BITS * BITS)

enum { N = 300000, BINS = 1 << BITS, PASSES = (32 + BITS - 1) / BITS };
struct Item { unsigned key, value; };
static Item given[N], items[N], other[N], buffer[BINS][BUFFER];
static unsigned counts[PASSES][BINS], place[BINS];
#if SMALL
typedef unsigned char Fill;
#else
typedef unsigned Fill;
#endif
static Fill fill[BINS];

static void sort() {
    memset(counts, 0, sizeof counts);
    for (int i = 0; i < N; ++i)
        for (int pass = 0; pass < PASSES; ++pass)
            ++counts[pass][(items[i].key >> (pass * BITS)) & (BINS - 1)];
    Item *from = items, *to = other;
    for (int pass = 0; pass < PASSES; ++pass) {
        unsigned sum = 0;
        for (int bin = 0; bin < BINS; ++bin) {
            place[bin] = sum;
            sum += counts[pass][bin];
            fill[bin] = 0;
        }
        for (int i = 0; i < N; ++i) {
            if (AHEAD) __builtin_prefetch(from + i + AHEAD);
            unsigned bin = (from[i].key >> (pass * BITS)) & (BINS - 1);
            if (BUFFER == 1) {
                to[place[bin]++] = from[i];
            } else {
                buffer[bin][fill[bin]++] = from[i];
                if (fill[bin] == BUFFER) {
                    memcpy(to + place[bin], buffer[bin], sizeof buffer[bin]);
                    place[bin] += BUFFER;
                    fill[bin] = 0;
                }
            }
        }
        for (int bin = 0; bin < BINS; ++bin)
            for (unsigned k = 0; k < fill[bin]; ++k) to[place[bin] + k] = buffer[bin][k];
        Item* swap = from;
        from = to;
        to = swap;
    }
    if (from != items) memcpy(items, from, sizeof items);
}

static long long now() {
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main() {
    unsigned seed = 1;
    for (int i = 0; i < N; ++i) {
        seed = seed * 1664525u + 1013904223u;
        given[i] = {seed ^ (seed >> 16), (unsigned)i};
    }
    long long least = 1LL << 62;
    for (int run = 0; run < 5; ++run) {
        memcpy(items, given, sizeof items);
        long long begin = now();
        sort();
        long long took = now() - begin;
        if (took < least) least = took;
    }
    unsigned check = 0;
    for (int i = 0; i < N; ++i) {
        if (i && items[i - 1].key > items[i].key) return 1;
        check = check * 31 + items[i].value;
    }
    printf("%lld %u\n", least, check);
}
