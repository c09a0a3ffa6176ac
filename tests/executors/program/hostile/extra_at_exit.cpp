// status: wrong_answer
// Prints more when nobody looks any more.
#include "answer.hpp"

int main() {
    atexit([] { puts("and more"); });
    solve();
}
