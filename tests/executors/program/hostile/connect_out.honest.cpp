// Knows addresses, and talks to a child.
#include "answer.hpp"
#include <arpa/inet.h>

int main() {
    in_addr address{};
    int ends[2];
    char byte = 0;
    if (inet_pton(AF_INET, "127.0.0.1", &address) != 1 || pipe(ends) != 0) exit(4);
    if (fork() == 0) _exit(write(ends[1], "x", 1) != 1);
    end(read(ends[0], &byte, 1) == 1 && byte == 'x');
}
