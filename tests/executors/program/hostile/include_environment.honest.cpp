// Asks whether a header is there.
#include "answer.hpp"
#if __has_include(<string.h>)
#include <string.h>
#endif

int main() { end(strlen("four") == 4); }
