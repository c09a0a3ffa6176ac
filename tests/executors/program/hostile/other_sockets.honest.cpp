// Talks to itself through a named pipe.
#include "answer.hpp"
#include <fcntl.h>
#include <sys/stat.h>

int main() {
    if (mkfifo("fifo", 0600) != 0) exit(4);
    const int both = open("fifo", O_RDWR);
    char byte = 0;
    end(write(both, "x", 1) == 1 && read(both, &byte, 1) == 1 && byte == 'x');
}
