// Such a child, which ends.
#include "answer.hpp"
#include <csignal>
#include <sched.h>
#include <sys/syscall.h>

int main() {
    int ends[2];
    char byte;
    if (pipe(ends) != 0) exit(4);
    if (syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0) == 0) _exit(0);
    close(ends[1]);
    end(read(ends[0], &byte, 1) == 0);
}
