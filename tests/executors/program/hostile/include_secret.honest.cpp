// Has it read what comes with it.
#include <sys/types.h>
#include "./answer.hpp"

int main() { end(sizeof(off_t) == 8); }
