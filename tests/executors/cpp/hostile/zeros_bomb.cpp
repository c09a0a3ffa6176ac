// status: out_of_memory runtime_error
// A small file that is a program of gigabytes as soon as it runs.
#include "answer.hpp"

static char data[1ul << 30];

int main(int arguments, char**) {
    data[arguments] = 1;
    end(data[1] == 1);
}
