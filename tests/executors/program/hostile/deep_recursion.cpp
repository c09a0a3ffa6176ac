// status: runtime_error
// Needs more stack than there is.
#include "answer.hpp"

static long down(volatile long depth) {
    volatile char frame[1000] = {};
    return frame[depth % 1000] + (depth ? down(depth - 1) + 1 : 0);
}

int main() { end(down(100'000'000) > 0); }
