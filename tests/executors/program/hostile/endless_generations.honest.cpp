// A chain of ten.
#include "answer.hpp"
#include <sys/wait.h>

int main() {
    const int first = getpid();
    for (int i = 0; i < 10 && (i == 0 || getpid() != first); i++) {
        if (fork() != 0) break;
    }
    wait(nullptr);
    if (getpid() != first) _exit(0);
    solve();
}
