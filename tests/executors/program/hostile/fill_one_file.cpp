// status: runtime_error
// Makes a file without end.
#include "answer.hpp"

int main() {
    static char block[1 << 16];
    FILE* file = fopen("endless", "w");
    for (;;) fwrite(block, 1, sizeof block, file);
}
