// status: timeout
// Blocks and ignores every signal there is, then waits in several threads.
#include "answer.hpp"
#include <csignal>
#include <pthread.h>

static void* wait_for_ever(void*) {
    for (;;) pause();
}

int main() {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, nullptr);
    for (int number = 1; number < 65; number++) signal(number, SIG_IGN);
    for (int i = 0; i < 4; i++) {
        pthread_t thread;
        pthread_create(&thread, nullptr, wait_for_ever, nullptr);
    }
    if (fork() == 0) wait_for_ever(nullptr);
    wait_for_ever(nullptr);
}
