// Starts some and waits for them.
#include "answer.hpp"
#include <pthread.h>

static void* go(void* done) {
    *static_cast<bool*>(done) = true;
    return nullptr;
}

int main() {
    pthread_t threads[8];
    bool done[8] = {}, all = true;
    for (int i = 0; i < 8; i++) pthread_create(&threads[i], nullptr, go, &done[i]);
    for (int i = 0; i < 8; i++) all = pthread_join(threads[i], nullptr) == 0 && done[i] && all;
    end(all);
}
