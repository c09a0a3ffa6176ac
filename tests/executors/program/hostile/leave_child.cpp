// status: runtime_error
// Ends with the right answer while a child in another process group goes on.
#include "answer.hpp"

int main() {
    if (fork() == 0) {
        setpgid(0, 0);
        for (;;) burn(1000);
    }
    solve();
}
