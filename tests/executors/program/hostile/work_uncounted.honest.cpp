// Rotates and exchanges as ciphers do.
#include "answer.hpp"

int main() {
    unsigned long a = 0x9E3779B97F4A7C15, b = 3;
#if defined __x86_64__
    asm volatile("rolq $3, %0; rolq $13, %0; rolq $61, %0; rolq $51, %0; xchgq %0, %1"
                 : "+r"(a), "+r"(b)
                 :
                 : "cc");
#endif
    if (a == b) return 3;
    solve();
}
