// status: runtime_error
// Answers, and says that it failed.
#include "answer.hpp"

int main() {
    solve();
    return 256 + 1;
}
