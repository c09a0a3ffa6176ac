// Its child leaves the session too, but is waited for.
#include "answer.hpp"
#include <sys/wait.h>

int main() {
    if (fork() == 0) {
        setsid();
        _exit(7);
    }
    int status = 0;
    wait(&status);
    end(WEXITSTATUS(status) == 7);
}
