// Has a few that hold little.
#include "answer.hpp"
#include <sys/wait.h>

int main() {
    for (int i = 0; i < 4; i++) {
        if (fork() == 0) {
            volatile char* some = static_cast<char*>(malloc(1 << 20));
            for (long i = 0; i < 1 << 20; i += 4096) some[i] = 1;
            _exit(0);
        }
    }
    while (wait(nullptr) > 0) {}
    solve();
}
