// Takes in a header of the system's.
#include "answer.hpp"

__asm__(".pushsection .rodata\n.globl text\ntext: .incbin \"/usr/include/stdio.h\"\n.popsection\n");
extern "C" const char text[];

int main() { end(text[0] == '/'); }
