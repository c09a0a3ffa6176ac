// Reads the input twice.
#include "answer.hpp"

int main() {
    read_numbers();
    if (lseek(0, 0, SEEK_SET) != 0 || !freopen("/dev/stdin", "r", stdin)) exit(4);
    solve();
}
