// A program of a megabyte.
#include "answer.hpp"

char data[1ul << 20] = {1};

int main() { end(data[0] == 1); }
