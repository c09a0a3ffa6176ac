// Goes on.
#include "answer.hpp"
#include <csignal>

int main() {
    raise(SIGCONT);
    solve();
}
