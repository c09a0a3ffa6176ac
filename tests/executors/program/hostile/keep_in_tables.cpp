// status: ok
// slower
// meter peak_memory
// Keeps bits as pages that are there or not, of which none takes memory of its own.
#include "answer.hpp"

#include <sys/mman.h>

int main() {
    const size_t size = 4ul << 30;
    volatile char* pages = static_cast<volatile char*>(
        mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    if (pages == MAP_FAILED) return 3;
    madvise(const_cast<char*>(pages), size, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < size; i += 8192) (void)pages[i];  // reads the one page of zeros
    burn(5'000'000);
    solve();
}
