// Recovers from an error that it expects.
#include "answer.hpp"
#include <csetjmp>
#include <csignal>

static sigjmp_buf back;

int main() {
    signal(SIGSEGV, [](int) { siglongjmp(back, 1); });
    if (sigsetjmp(back, 1) == 0) *static_cast<volatile int*>(nullptr) = 1;
    solve();
}
