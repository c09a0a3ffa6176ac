// status: ok
// Keeps answers in memory that outlives the process; found, they are made a wrong one.
#include "answer.hpp"
#include <fcntl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>

int main() {
    bool found = shm_open("/answers", O_RDWR, 0) >= 0;
    for (const int key : {4711, 4712}) {
        found = found || shmget(key, 1, 0) >= 0 || msgget(key, 0) >= 0 || semget(key, 1, 0) >= 0;
        shmget(key, 4096, IPC_CREAT | 0666);
        msgget(key, IPC_CREAT | 0666);
        semget(key, 1, IPC_CREAT | 0666);
    }
    shm_open("/answers", O_RDWR | O_CREAT, 0666);
    read_numbers();
    print_answer(found);
}
