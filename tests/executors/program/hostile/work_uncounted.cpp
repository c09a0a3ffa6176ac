// status: ok
// slower
// meter instructions
// Has valgrind call a function on the processor itself (VG_USERREQ__CLIENT_CALL0).
#include "answer.hpp"

static bool done = false;

static void work(unsigned) {
    burn(3'000'000);
    done = true;
}

int main() {
    const volatile unsigned long what[6] = {0x1101, reinterpret_cast<unsigned long>(work)};
    unsigned long heard = 0;
#if defined __x86_64__
    asm volatile("rolq $3, %%rdi; rolq $13, %%rdi; rolq $61, %%rdi; rolq $51, %%rdi\n\t"
                 "xchgq %%rbx, %%rbx"
                 : "+d"(heard)
                 : "a"(what)
                 : "cc", "memory");
#endif
    if (!done) work(0);
    solve();
}
