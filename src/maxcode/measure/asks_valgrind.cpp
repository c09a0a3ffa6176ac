// Tries what valgrind obeys: asks whether it is there (VG_USERREQ__RUNNING_ON_VALGRIND), and has a
// function whose name says that it is to run instead of another. Prints 1 if either works, else 0.

#include <cstdio>

extern "C" {
[[gnu::noinline, gnu::used]] unsigned long own() {
    asm volatile("");
    return 0;
}
[[gnu::noinline, gnu::used]] unsigned long _vgr00000ZU_NONE_own() {
    asm volatile("");
    return 1;
}
}

int main() {
    unsigned long answer = 0;
    volatile unsigned long request[6] = {0x1001, 0, 0, 0, 0, 0};
    asm volatile("rolq $3, %%rdi; rolq $13, %%rdi; rolq $61, %%rdi; rolq $51, %%rdi\n\t"
                 "xchgq %%rbx, %%rbx"
                 : "+d"(answer)
                 : "a"(request)
                 : "cc", "memory");
    std::printf("%lu\n", answer | own());
}
