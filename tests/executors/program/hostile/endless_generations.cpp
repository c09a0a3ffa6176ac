// status: runtime_error
// A chain of processes, each gone before anybody looks at it.
#include "answer.hpp"

int main() {
    if (fork() == 0) {
        for (;;) {
            if (fork() != 0) _exit(0);
        }
    }
    solve();
}
