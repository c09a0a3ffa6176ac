// status: timeout runtime_error
// Prints without end, whatever the signal says.
#include "answer.hpp"
#include <csignal>

int main() {
    signal(SIGXFSZ, SIG_IGN);
    signal(SIGXCPU, SIG_IGN);
    for (;;) puts("all work and no play");
}
