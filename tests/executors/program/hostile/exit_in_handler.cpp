// status: wrong_answer
// Crashes, and calls that a success.
#include "answer.hpp"
#include <csignal>

int main() {
    signal(SIGSEGV, [](int) { _exit(0); });
    read_numbers();
    *static_cast<volatile int*>(nullptr) = 1;
    print_answer();
}
