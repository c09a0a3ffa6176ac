// Makes its stack larger, as it may, and a limit smaller.
#include "answer.hpp"
#include <sys/resource.h>

int main() {
    rlimit stack, files;
    getrlimit(RLIMIT_STACK, &stack);
    getrlimit(RLIMIT_NOFILE, &files);
    stack.rlim_cur = stack.rlim_max < (64 << 20) ? stack.rlim_max : 64 << 20;
    files.rlim_cur = 16;
    end(setrlimit(RLIMIT_STACK, &stack) == 0 && setrlimit(RLIMIT_NOFILE, &files) == 0);
}
