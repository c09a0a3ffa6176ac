// A header that is empty.
#include "answer.hpp"
#include "/dev/null"

int main() { end(true); }
