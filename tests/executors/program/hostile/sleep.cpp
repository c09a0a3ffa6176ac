// status: timeout
// Uses no processor time, but keeps everybody waiting.
#include "answer.hpp"

int main() {
    for (;;) pause();
}
