// status: out_of_memory runtime_error
// Has children of a thread of its own hold what it may not hold itself.
#include "answer.hpp"
#include <pthread.h>

static void* have_children(void*) {
    for (int i = 0; i < 20; i++) {
        if (fork() == 0) {
            volatile char* much = static_cast<char*>(malloc(40 << 20));
            for (long i = 0; i < 40 << 20; i += 4096) much[i] = 1;
            for (;;) pause();
        }
    }
    return nullptr;
}

int main() {
    pthread_t thread;
    pthread_create(&thread, nullptr, have_children, nullptr);
    pthread_join(thread, nullptr);
    usleep(600000);
    solve();
}
