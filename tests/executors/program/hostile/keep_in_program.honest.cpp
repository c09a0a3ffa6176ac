// Has a table in memory that is part of its file: each page counts once.
#include "answer.hpp"

asm(".section .rodata\n.balign 4096\n.globl table\ntable: .fill 600000, 1, 7\n.text\n");
extern "C" const char table[];

int main() {
    volatile long sum = 0;
    for (int i = 0; i < 600'000; i++) sum = sum + table[i];
    end(sum == 4'200'000);
}
