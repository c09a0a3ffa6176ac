// status: ok
// Leaves marks for later runs wherever it can, in numbers of processes, too; found, they are made a
// wrong answer, to be seen.
#include "answer.hpp"
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

int main() {
    bool found = getpid() > 99 || lseek(0, 0, SEEK_CUR) != 0;
    for (const char* path : {"/proc/self/fd/0", "/proc/self/fd/1", "/tmp", ".", "/proc/self/exe"}) {
        struct stat facts {};
        found = found || (stat(path, &facts) == 0 && facts.st_mtime == 77);
        const timespec times[2] = {{77, 0}, {77, 0}};
        utimensat(AT_FDCWD, path, times, 0);
    }
    for (int number = 0; number < 99; ++number) {
        const pid_t child = fork();
        if (child == 0) _exit(0);
        waitpid(child, nullptr, 0);
    }
    read_numbers();
    print_answer(found);
}
