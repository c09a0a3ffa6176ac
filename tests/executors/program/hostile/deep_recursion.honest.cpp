// Needs some.
#include "answer.hpp"

static long down(volatile long depth) {
    volatile char frame[100] = {};
    return frame[depth % 100] + (depth ? down(depth - 1) + 1 : 0);
}

int main() { end(down(10'000) == 10'000); }
