// status: ok runtime_error
// slower
// meter peak_memory
// Holds numbers where no process and no file has them: in memory without a name.
#include "answer.hpp"

#include <cstring>
#include <sys/mman.h>

int main() {
    static char block[900'000];
    for (int i = 0; i < 12; i++) {
        const int file = memfd_create("numbers", 0);
        if (file < 0 || write(file, block, sizeof block) != sizeof block) return 3;
    }
    burn(5'000'000);
    solve();
}
