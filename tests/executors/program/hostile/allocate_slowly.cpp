// status: out_of_memory runtime_error
// Takes memory bit by bit.
#include "answer.hpp"
#include <cstring>

int main() {
    for (;;) memset(new char[1 << 16], 1, 1 << 16);
}
