// For a while.
#include "answer.hpp"
#include <fcntl.h>

int main() {
    const int kept = dup(1), other = open("output", O_RDWR | O_CREAT, 0600);
    dup2(other, 1);
    puts("not this");
    fflush(stdout);
    dup2(kept, 1);
    solve();
}
