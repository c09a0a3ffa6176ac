// status: wrong_answer
// Ends before its output is written.
#include "answer.hpp"

int main() {
    solve();
    _exit(0);
}
