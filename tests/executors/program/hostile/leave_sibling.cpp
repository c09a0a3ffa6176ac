// status: runtime_error
// Its child is its parent's child, so that the program has none.
#include "answer.hpp"
#include <csignal>
#include <sched.h>
#include <sys/syscall.h>

int main() {
    const long sibling = syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);
    if (sibling < 0) return 3;
    while (sibling == 0) burn(1000);
    solve();
}
