// status: runtime_error
// Prints without end.
#include "answer.hpp"

int main() {
    for (;;) puts("all work and no play");
}
