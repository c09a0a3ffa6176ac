// Holds some of it in a file.
#include "answer.hpp"
#include <sys/mman.h>

int main() {
    FILE* file = tmpfile();
    if (!file || ftruncate(fileno(file), 1 << 16) != 0) exit(4);
    void* there = mmap(nullptr, 1 << 16, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
    end(there != MAP_FAILED && (*static_cast<int*>(there) = 17) == 17);
}
