// Some assembler's directives.
#include "answer.hpp"

__asm__(".pushsection .rodata\n.globl counted\ncounted:\n.rept 16\n.quad 1\n.endr\n.popsection\n");
extern "C" const long counted[16];

int main() { end(counted[15] == 1); }
