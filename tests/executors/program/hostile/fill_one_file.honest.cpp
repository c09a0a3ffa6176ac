// Makes one with an end.
#include "answer.hpp"

int main() {
    static char block[1 << 16];
    FILE* file = fopen("ends", "w");
    for (int i = 0; i < 4; i++) fwrite(block, 1, sizeof block, file);
    end(fclose(file) == 0);
}
