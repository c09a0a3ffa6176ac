// Uses it.
#include "answer.hpp"

int main() {
    static char block[1 << 16];
    FILE* file = tmpfile();
    end(fwrite(block, 1, sizeof block, file) == sizeof block && fflush(file) == 0);
}
