// status: ok
// slower
// meter peak_memory
// Leaves shared pages where they are, but in no process: unmapped, or under a page that slides.
#include "answer.hpp"

#include <sys/mman.h>

int main() {
    const size_t size = 8 << 20, page = 4096;
    char* all = static_cast<char*>(
        mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    if (all == MAP_FAILED || munmap(all + page, size - page) != 0) return 3;
    for (size_t at = page; at < size; at += page) {
        char* whole = static_cast<char*>(mremap(all, 0, size, MREMAP_MAYMOVE));
        if (whole == MAP_FAILED) return 3;
        whole[at] = 1;
        munmap(whole, size);
    }
    char* whole = static_cast<char*>(mremap(all, 0, size, MREMAP_MAYMOVE));
    end(whole != MAP_FAILED && whole[size - page] == 1 && whole[size / 2] == 1);
}
