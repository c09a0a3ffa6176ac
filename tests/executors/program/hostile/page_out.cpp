// status: ok
// slower
// meter peak_memory
// Has its pages taken away while it does not look.
#include "answer.hpp"

#include <sys/mman.h>

int main() {
    alignas(4096) static char pages[8 << 20];
    for (size_t i = 0; i < sizeof pages; i += 4096) pages[i] = 1;
    end(madvise(pages, sizeof pages, MADV_PAGEOUT) == 0 ||
        madvise(pages, sizeof pages, MADV_COLD) == 0);
}
