// By its whole name.
#include "answer.hpp"
#include "/usr/include/string.h"

int main() { end(strlen("four") == 4); }
