// Shares memory with a child.
#include "answer.hpp"
#include <sys/mman.h>
#include <sys/wait.h>

int main() {
    void* shared = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (fork() == 0) {
        *static_cast<int*>(shared) = 17;
        _exit(0);
    }
    wait(nullptr);
    end(*static_cast<int*>(shared) == 17);
}
