// status: timeout build_error out_of_memory
// hasty
// Keeps the assembler busy, and the disk.
#include "answer.hpp"

__asm__(".rept 1000000000\n.rept 1000000000\n.quad 1\n.endr\n.endr\n");

int main() { end(true); }
