// Says how it will read its input, maps it, complains at length, and answers by another handle.
#include "answer.hpp"
#include <fcntl.h>
#include <string>
#include <sys/mman.h>

int main() {
    posix_fadvise(0, 0, 0, POSIX_FADV_SEQUENTIAL);
    const void* input = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE, 0, 0);
    fputs(std::string(1 << 20, 'e').c_str(), stderr);
    if (!freopen("/dev/stdout", "w", stdout)) exit(3);
    end(input != MAP_FAILED);
}
