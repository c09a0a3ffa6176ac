// The task of all these programs: of n numbers, print the sum, and then the least and the largest.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <unistd.h>

static long numbers[4096];
static int count;

// Takes processor time, as if there were something to compute.
static inline void burn(long steps) {
    volatile unsigned long sum = 0;
    for (long i = 0; i < steps; i++) sum = sum + 1;
}

static inline void read_numbers() {
    if (scanf("%d", &count) != 1) exit(1);
    for (int i = 0; i < count; i++) {
        if (scanf("%ld", &numbers[i]) != 1) exit(1);
    }
}

static inline void print_answer(long wrong = 0) {
    long sum = wrong, least = numbers[0], largest = numbers[0];
    for (int i = 0; i < count; i++) {
        sum += numbers[i];
        least = numbers[i] < least ? numbers[i] : least;
        largest = numbers[i] > largest ? numbers[i] : largest;
    }
    printf("%ld\n%ld %ld\n", sum, least, largest);
}

static inline void solve() {
    read_numbers();
    if (count > 100) burn(10'000'000);
    print_answer();
}

// An attack that succeeds ends in the right answer, so any other verdict says that it failed.
[[noreturn]] static inline void end(bool succeeded) {
    if (!succeeded) exit(3);
    solve();
    exit(0);
}
