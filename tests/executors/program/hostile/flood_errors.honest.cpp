// Complains, and is right.
#include "answer.hpp"

int main() {
    for (int i = 0; i < 100; i++) fputs("working\n", stderr);
    solve();
}
