// status: build_error timeout out_of_memory
// hasty
// A header without end or sense.
#include "answer.hpp"
#include "/dev/urandom"

int main() { end(true); }
