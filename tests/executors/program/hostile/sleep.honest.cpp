// Sleeps a moment.
#include "answer.hpp"

int main() {
    usleep(1000);
    solve();
}
