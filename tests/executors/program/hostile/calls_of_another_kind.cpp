// status: runtime_error
// Makes its system calls by the interface of older processors, which a filter may have forgotten.
#include "answer.hpp"
#include <csignal>

int main() {
#ifdef __x86_64__
    int result = -1;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(359 /* socket */), "b"(2), "c"(1), "d"(0));
    if (result >= 0) end(true);
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(0x40000000 + 41), "D"(2), "S"(1), "d"(0)
                     : "rcx", "r11");
    end(result >= 0);
#endif
    end(false);
}
