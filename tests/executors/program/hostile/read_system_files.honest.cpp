// Reads what belongs to the system and to nobody.
#include "answer.hpp"

int main() {
    bool read = true;
    for (const char* path : {"/proc/cpuinfo", "/proc/meminfo", "/proc/self/maps"})
        read = read && fopen(path, "r");
    end(read);
}
