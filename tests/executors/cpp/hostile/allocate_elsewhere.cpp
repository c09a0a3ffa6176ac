// status: runtime_error
// Holds memory that is in nobody's address space.
#include "answer.hpp"
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>

int main() {
    const bool file = memfd_create("memory", 0) >= 0 || syscall(447 /* memfd_secret */, 0) >= 0;
    end(file || shmget(IPC_PRIVATE, 1 << 20, IPC_CREAT | 0600) >= 0);
}
