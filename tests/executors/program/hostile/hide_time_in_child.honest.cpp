// Lets a child compute, and says so.
#include "answer.hpp"
#include <csignal>
#include <sys/wait.h>

int main() {
    signal(SIGCHLD, SIG_IGN);
    read_numbers();
    if (fork() == 0) {
        burn(1000);
        _exit(0);
    }
    while (wait(nullptr) > 0) {}
    print_answer();
}
