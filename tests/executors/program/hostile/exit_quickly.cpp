// status: wrong_answer
// Ends before it answers, with status 0.
#include "answer.hpp"

int main() {
    at_quick_exit([] { _exit(0); });
    std::quick_exit(7);
    solve();
}
