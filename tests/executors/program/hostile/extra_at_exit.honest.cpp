// Prints its answer then.
#include "answer.hpp"

int main() { atexit(solve); }
