// Shares a few pages with its children, and reads what they wrote.
#include "answer.hpp"

#include <sys/mman.h>
#include <sys/wait.h>

int main() {
    const size_t size = 64 << 10;
    char* shared = static_cast<char*>(
        mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    if (shared == MAP_FAILED) return 3;
    for (int child = 0; child < 2; child++) {
        if (fork() == 0) {
            for (size_t at = 0; at < size; at += 2) shared[at + child] = 7;
            _exit(0);
        }
        wait(nullptr);
    }
    for (size_t at = 0; at < size; at++)
        if (shared[at] != 7) return 3;
    munmap(shared, size);
    solve();
}
