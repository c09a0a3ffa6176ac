// status: runtime_error wrong_answer
// Makes its output a terabyte of nothing.
#include "answer.hpp"

int main() {
    lseek(1, 1l << 40, SEEK_SET);
    solve();
    fflush(stdout);
    ftruncate(1, 1l << 40);
}
