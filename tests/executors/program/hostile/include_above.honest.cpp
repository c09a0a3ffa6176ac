// Down and up again.
#include "answer.hpp"
#include "/usr/include/../include/string.h"

int main() { end(strlen("four") == 4); }
