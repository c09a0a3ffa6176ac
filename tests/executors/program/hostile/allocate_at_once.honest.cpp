// Asks for what it needs.
#include "answer.hpp"

int main() {
    const size_t size = 1 << 22;
    char* some = new char[size];
    for (size_t i = 0; i < size; i += 4096) some[i] = 1;
    end(some[size - 4096] == 1);
}
