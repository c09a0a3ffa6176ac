// status: out_of_memory runtime_error
// A small file that is a program of gigabytes as soon as it runs.
#include "answer.hpp"

static char data[1ul << 30];

int main() {
    for (size_t i = 0; i < sizeof data; i += 4096) data[i] = 1;
    end(data[0] == 1);
}
