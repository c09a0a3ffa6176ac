// Gives memory back, and reserves more than it will use.
#include "answer.hpp"

#include <sys/mman.h>

int main() {
    const size_t size = 64 << 20;
    char* pages = static_cast<char*>(
        mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    if (pages == MAP_FAILED || mprotect(pages, 1 << 20, PROT_READ | PROT_WRITE) != 0) return 3;
    for (size_t i = 0; i < 1 << 20; i += 4096) pages[i] = 1;
    madvise(pages, 1 << 20, MADV_DONTNEED);
    munmap(pages, size);
    solve();
}
