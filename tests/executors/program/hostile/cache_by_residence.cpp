// status: ok
// Has pages of its own executable and of the system's files dropped from memory, where later runs
// miss them; that is made a wrong answer, to be seen.
#include "answer.hpp"
#include <cerrno>
#include <fcntl.h>
#include <sys/uio.h>

int main() {
    bool found = false;
    for (const char* path : {"/proc/self/exe", "/lib/x86_64-linux-gnu/libm.so.6", "/bin/sh"}) {
        const int file = open(path, O_RDONLY);
        char byte;
        const iovec where{&byte, 1};
        for (long at = 0; at < 8; ++at) {
            const bool there = preadv2(file, &where, 1, at * 4096, 8 /* RWF_NOWAIT */) == 1;
            const bool known = pread(file, &byte, 1, at * 4096) == 1;
            found = found || (known && !there && errno == EAGAIN);
        }
        posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
        close(file);
    }
    read_numbers();
    print_answer(found);
}
