// Asks valgrind whether it is there (VG_USERREQ__RUNNING_ON_VALGRIND): 1 if it hears that, else 0.

#include <cstdio>

int main() {
    unsigned long answer = 0;
    volatile unsigned long request[6] = {0x1001, 0, 0, 0, 0, 0};
    asm volatile("rolq $3, %%rdi; rolq $13, %%rdi; rolq $61, %%rdi; rolq $51, %%rdi\n\t"
                 "xchgq %%rbx, %%rbx"
                 : "+d"(answer)
                 : "a"(request)
                 : "cc", "memory");
    std::printf("%lu\n", answer);
}
