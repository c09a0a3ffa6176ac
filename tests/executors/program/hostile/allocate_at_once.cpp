// status: out_of_memory runtime_error
// Asks for more memory than there is.
#include "answer.hpp"
#include <cstring>

int main() {
    const size_t size = 1ul << 36;
    char* much = new char[size];
    for (size_t i = 0; i < size; i += 4096) much[i] = 1;
    end(much[size - 4096] == 1);
}
