// Sends its numbers through a pipe from one thread to another.
#include "answer.hpp"

#include <fcntl.h>
#include <thread>

int main() {
    int ends[2];
    if (pipe(ends) != 0) return 3;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    read_numbers();
    std::thread sender([&] {
        for (int i = 0; i < count; i++) {
            if (write(ends[1], &numbers[i], sizeof(long)) < 0) exit(3);
        }
    });
    for (int i = 0; i < count; i++) {
        if (read(ends[0], &numbers[i], sizeof(long)) < 0) exit(3);
    }
    sender.join();
    print_answer();
}
