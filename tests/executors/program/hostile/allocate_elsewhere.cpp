// status: out_of_memory runtime_error
// Holds memory that is in nobody's address space.
#include "answer.hpp"
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>

static char much[1 << 20];

int main() {
    if (syscall(447 /* memfd_secret */, 0) >= 0) end(true);
    if (shmget(IPC_PRIVATE, 1 << 20, IPC_CREAT | 0600) >= 0) end(true);
    bool all = true;
    for (int i = 0; all && i < 400; ++i) {
        const int file = i % 40 ? 3 : memfd_create("memory", 0);
        all = file >= 0 && write(file, much, sizeof much) == sizeof much;
    }
    end(all);
}
