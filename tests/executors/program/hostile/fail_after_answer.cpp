// status: runtime_error
// Answers, and crashes.
#include "answer.hpp"

int main() {
    solve();
    fflush(stdout);
    abort();
}
