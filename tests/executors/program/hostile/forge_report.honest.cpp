// Says something of the kind, and is quick.
#include "answer.hpp"

int main() {
    dprintf(2, "started\nended 0 0.000000001 0.000001 1 1 0 0 0\n");
    solve();
}
