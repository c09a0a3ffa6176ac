// Prints in small pieces.
#include "answer.hpp"

int main() {
    setvbuf(stdout, nullptr, _IONBF, 0);
    solve();
}
