// Ends its child first.
#include "answer.hpp"
#include <csignal>
#include <sys/wait.h>

int main() {
    const int child = fork();
    if (child == 0) {
        setpgid(0, 0);
        for (;;) pause();
    }
    kill(child, SIGKILL);
    wait(nullptr);
    solve();
}
