// Looks at its own memory.
#include "answer.hpp"
#include <cstring>

int main() {
    char line[4096];
    bool own = false;
    FILE* memory = fopen("/proc/self/maps", "r");
    while (memory && fgets(line, sizeof line, memory)) own = own || strstr(line, "[stack]");
    end(own);
}
