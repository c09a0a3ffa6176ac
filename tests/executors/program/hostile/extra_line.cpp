// status: wrong_answer
// One line too many.
#include "answer.hpp"

int main() {
    solve();
    puts("0");
}
