// Looks at few pages of a large table, most of which it never reads.
#include "answer.hpp"

#include <sys/mman.h>

int main() {
    const size_t size = 4ul << 30;
    volatile char* pages = static_cast<volatile char*>(
        mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    if (pages == MAP_FAILED) return 3;
    for (size_t i = 0; i < size; i += 128ul << 20) (void)pages[i];
    solve();
}
