// status: timeout runtime_error
// Starts threads that start threads. To be run in a sandbox that isolates, only.
#include "answer.hpp"
#include <pthread.h>

static void* go(void*) {
    for (;;) {
        pthread_t thread;
        pthread_create(&thread, nullptr, go, nullptr);
    }
}

int main() { go(nullptr); }
