// status: timeout build_error out_of_memory
// hasty
// A program of gigabytes.
#include "answer.hpp"

char data[1ul << 31] = {1};

int main() { end(data[0] == 1); }
