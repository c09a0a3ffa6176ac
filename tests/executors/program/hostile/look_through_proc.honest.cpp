// Looks at itself.
#include "answer.hpp"

int main() {
    bool seen = true;
    for (const char* name : {"/proc/self/environ", "/proc/self/stat", "/proc/self/cmdline"}) {
        FILE* file = fopen(name, "r");
        seen = seen && file && getc(file) != EOF;
    }
    end(seen);
}
