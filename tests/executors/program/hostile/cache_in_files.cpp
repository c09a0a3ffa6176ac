// status: ok
// Keeps answers from one run to the next; found, they are made a wrong one, to be seen.
#include "answer.hpp"

int main() {
    const char* paths[] = {"/tmp/answers", "/var/tmp/answers", "/dev/shm/answers", "answers",
                           "/dev/answers", "../answers",       "/run/answers",     "/answers"};
    bool found = false;
    for (const char* path : paths) found = found || access(path, F_OK) == 0;
    for (const char* path : paths) fclose(fopen(path, "w") ?: tmpfile());
    read_numbers();
    print_answer(found);
}
