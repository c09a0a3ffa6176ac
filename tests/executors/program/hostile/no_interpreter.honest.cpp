// A section of its own.
#include "answer.hpp"

__asm__(".pushsection .remarks, \"a\"\n.string \"nothing special\"\n.popsection\n");

int main() { solve(); }
