// status: ok
// slower
// meter instructions
// Has a function whose name tells valgrind to run it instead of another, which works.
#include "answer.hpp"

extern "C" {
[[gnu::noinline, gnu::used]] void work() { burn(3'000'000); }
[[gnu::noinline, gnu::used]] void _vgr00000ZU_NONE_work() { asm volatile(""); }
}

int main() {
    work();
    solve();
}
