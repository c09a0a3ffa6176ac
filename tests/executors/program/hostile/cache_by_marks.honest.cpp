// Sets the times of a file of its own, and starts processes.
#include "answer.hpp"
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

int main() {
    const int file = open("own", O_CREAT | O_RDWR, 0600);
    const timespec times[2] = {{77, 0}, {77, 0}};
    const bool done = futimens(file, times) == 0;
    const pid_t child = fork();
    if (child == 0) _exit(0);
    end(done && waitpid(child, nullptr, 0) == child);
}
