// status: build_error timeout out_of_memory
// hasty
// A header without end.
#include "answer.hpp"
#include "/dev/zero"

int main() { end(true); }
