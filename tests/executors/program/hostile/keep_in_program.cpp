// status: ok
// slower
// meter peak_memory
// Reads a table from its own file, piece by piece, and so never has it in memory.
#include "answer.hpp"

#include <fcntl.h>

asm(".section .rodata\n.balign 4096\n.fill 10000000, 1, 7\n.text\n");

int main() {
    const int file = open("/proc/self/exe", O_RDONLY);
    char piece[4096];
    if (file < 0 || pread(file, piece, sizeof piece, 5'000'000) != sizeof piece) return 3;
    burn(5'000'000);
    end(piece[0] == 7);
}
