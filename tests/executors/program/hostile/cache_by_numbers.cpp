// status: ok
// Leaves the machine's counters of nameless files where later runs know them again; found, that is
// made a wrong answer, to be seen.
#include "answer.hpp"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

static long number(int file) {
    struct stat facts {};
    const long found = fstat(file, &facts) == 0 ? static_cast<long>(facts.st_ino) % 4096 : -1;
    close(file);
    return found;
}

static long of_pipe() {
    int ends[2];
    if (pipe(ends) != 0) return -1;
    close(ends[1]);
    return number(ends[0]);
}

static long of_file() { return number(memfd_create("x", 0)); }

static bool is_mark(long number) { return 1000 <= number && number < 1500; }

int main() {
    const bool found = is_mark(of_pipe()) || is_mark(of_file());
    for (int i = 0; i < 5000 && of_pipe() != 1000;) ++i;
    for (int i = 0; i < 5000 && of_file() != 1000;) ++i;
    read_numbers();
    print_answer(found);
}
