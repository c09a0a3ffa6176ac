// status: runtime_error timeout
// Complains without end, and about nothing.
#include "answer.hpp"

int main() {
    for (;;) fputs("all work and no play\n", stderr);
}
