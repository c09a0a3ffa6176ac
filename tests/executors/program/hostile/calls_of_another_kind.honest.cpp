// Makes a system call by its number.
#include "answer.hpp"
#include <sys/syscall.h>

int main() { end(syscall(SYS_getpid) == getpid()); }
