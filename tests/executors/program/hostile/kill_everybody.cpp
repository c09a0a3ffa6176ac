// status: ok
// Signals whoever it can, process 1 and its parent first.
#include "answer.hpp"
#include <csignal>

int main() {
    for (const int number : {SIGSTOP, SIGKILL, SIGSEGV, SIGTERM, SIGINT, SIGXCPU}) {
        kill(1, number);
        kill(getppid(), number);
        for (int pid = 1; pid < 5000; pid++) {
            if (pid != getpid()) kill(pid, number);
        }
    }
    for (int i = 0; i < 10000; i++) kill(1, SIGCHLD);
    kill(-1, SIGKILL);
    solve();
}
