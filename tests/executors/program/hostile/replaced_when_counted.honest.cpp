// Has two functions, of which it calls one.
#include "answer.hpp"

extern "C" {
[[gnu::noinline, gnu::used]] void work() { asm volatile(""); }
[[gnu::noinline, gnu::used]] void _work_otherwise() { burn(3'000'000); }
}

int main() {
    work();
    solve();
}
