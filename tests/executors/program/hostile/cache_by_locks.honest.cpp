// Locks a file of its own.
#include "answer.hpp"
#include <sys/file.h>

int main() { end(flock(fileno(fopen("lock", "w")), LOCK_EX | LOCK_NB) == 0); }
