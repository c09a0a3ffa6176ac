// Writes it first.
#include "answer.hpp"

int main() {
    solve();
    fflush(stdout);
    _exit(0);
}
