// Waits for itself.
#include "answer.hpp"
#include <poll.h>

int main() {
    int ends[2];
    if (pipe(ends) != 0 || write(ends[1], "x", 1) != 1) exit(4);
    pollfd ready{ends[0], POLLIN, 0};
    end(poll(&ready, 1, 1000) == 1);
}
