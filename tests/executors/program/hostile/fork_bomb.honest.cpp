// Starts some and waits for them.
#include "answer.hpp"
#include <sys/wait.h>

int main() {
    for (int i = 0; i < 8; i++) {
        if (fork() == 0) _exit(0);
    }
    int ended = 0;
    while (wait(nullptr) > 0) ended++;
    end(ended == 8);
}
