// status: runtime_error build_error ok
// Names a loader that is not there, so that it cannot even be started.
#include "answer.hpp"

__asm__(".pushsection .interp, \"a\"\n.string \"/nowhere/loader\"\n.popsection\n");

int main() { solve(); }
