// status: runtime_error
// meter peak_memory
// Holds numbers where no process and no file has them: in sockets, large pipes, queues, locks.
#include "answer.hpp"

#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/xattr.h>

int main() {
    int ends[2], pair[2];
    if (pipe(ends) != 0) return 3;
    static char page[4096];
    iovec part{page, sizeof page};
    struct flock lock = {F_WRLCK, SEEK_SET, 12345, 6789, 0};
    const int file = open("file", O_CREAT | O_RDWR, 0600);
    int crowd = 0;
    while (crowd < 200 && dup(0) >= 0) crowd++;
    end(memfd_create("numbers", 0) >= 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0 ||
        shmget(IPC_PRIVATE, 1 << 20, IPC_CREAT | 0600) >= 0 ||
        fcntl(ends[0], F_SETPIPE_SZ, 1 << 20) > 0 || vmsplice(ends[1], &part, 1, 0) > 0 ||
        inotify_init1(0) >= 0 || fcntl(file, F_SETLK, &lock) == 0 ||
        fsetxattr(file, "user.numbers", "7", 1, 0) == 0 || crowd >= 40);
}
