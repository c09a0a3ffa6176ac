// Answers while it ends.
#include "answer.hpp"

int main() {
    at_quick_exit([] {
        solve();
        fflush(stdout);
    });
    std::quick_exit(0);
}
