// Prints by another way.
#include "answer.hpp"

int main() {
    static char buffer[256];
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    solve();
    fflush(stdout);
    fsync(1);
}
