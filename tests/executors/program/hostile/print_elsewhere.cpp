// status: wrong_answer
// Its standard output is another file.
#include "answer.hpp"
#include <fcntl.h>

int main() {
    close(1);
    if (open("output", O_RDWR | O_CREAT, 0600) != 1) exit(4);
    solve();
}
