// status: runtime_error
// Fills the private folder, and would go on.
#include "answer.hpp"
#include <fcntl.h>
#include <string>

int main() {
    static char block[1 << 16];
    long written = 0;
    for (int i = 0; i < 20000 && written < 200 << 20; i++) {
        const int file = open(("/tmp/" + std::to_string(i)).c_str(), O_WRONLY | O_CREAT, 0600);
        const long more = write(file, block, sizeof block);
        close(file);
        if (more <= 0) break;
        written += more;
    }
    end(written >= 200 << 20);
}
