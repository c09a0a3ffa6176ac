// status: ok
// Keeps answers in the kernel's keys; found, they are made a wrong one.
#include "answer.hpp"
#include <sys/syscall.h>

int main() {
    bool found = false;
    for (const long ring : {-3L, -4L, -5L}) {  // session, user, user session
        found = found || syscall(SYS_keyctl, 10 /* search */, ring, "user", "answers", 0) > 0;
        syscall(SYS_add_key, "user", "answers", "x", 1L, ring);
    }
    read_numbers();
    print_answer(found);
}
