// status: ok
// slower
// meter peak_memory
// Holds its numbers in the names of empty files.
#include "answer.hpp"

#include <fcntl.h>

int main() {
    char name[240];
    for (int i = 0; i < 6'000; i++) {
        snprintf(name, sizeof name, "%0200d", i);
        close(open(name, O_CREAT | O_WRONLY, 0600));
    }
    burn(5'000'000);
    solve();
}
