// Looks at its own memory.
#include "answer.hpp"
#include <fcntl.h>

int main() {
    static const int kept = 17;
    int read = 0;
    const int memory = open("/proc/self/mem", O_RDONLY);
    end(pread(memory, &read, sizeof read, reinterpret_cast<off_t>(&kept)) > 0 && read == kept);
}
