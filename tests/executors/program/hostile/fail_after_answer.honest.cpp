// Answers, and ends from the depth of a function.
#include "answer.hpp"

int main() {
    solve();
    exit(0);
}
