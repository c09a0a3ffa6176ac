// status: runtime_error
// Leaves a daemon that could disturb whoever is timed next.
#include "answer.hpp"

int main() {
    if (fork() == 0) {
        setsid();
        if (fork() == 0) {
            for (int i = 0; i < 3; i++) close(i);
            for (;;) burn(1000);
        }
        _exit(0);
    }
    solve();
}
