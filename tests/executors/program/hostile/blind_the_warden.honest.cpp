// Asks for all of these about itself.
#include "answer.hpp"
#include <sched.h>
#include <sys/resource.h>

int main() {
    rlimit files;
    cpu_set_t set;
    bool known = getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur > 3;
    known = known && sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0;
    end(known && sched_getscheduler(0) >= 0 && getpriority(PRIO_PROCESS, 0) <= 19);
}
