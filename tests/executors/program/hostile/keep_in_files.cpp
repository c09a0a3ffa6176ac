// status: ok
// slower
// meter peak_memory
// Holds its numbers in files, which are in memory as well.
#include "answer.hpp"

int main() {
    static char block[900'000];
    char name[] = "numbers-a";
    for (int i = 0; i < 24; i++, name[8]++) {
        FILE* file = fopen(name, "w");
        fwrite(block, 1, sizeof block, file);
        fclose(file);
    }
    burn(5'000'000);
    solve();
}
