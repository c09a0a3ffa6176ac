// status: runtime_error
// Allows itself more than it was given.
#include "answer.hpp"
#include <sched.h>
#include <sys/resource.h>

int main() {
    bool raised = false;
    for (const auto kind : {RLIMIT_AS, RLIMIT_CPU, RLIMIT_FSIZE, RLIMIT_NOFILE, RLIMIT_NPROC}) {
        rlimit one;
        getrlimit(kind, &one);
        one.rlim_cur = one.rlim_max += 1;
        raised = raised || (one.rlim_max != 0 && setrlimit(kind, &one) == 0);
    }
    const sched_param first{1};
    cpu_set_t its, all;
    CPU_ZERO(&all);
    sched_getaffinity(0, sizeof its, &its);
    for (int i = 0; i < CPU_SETSIZE; i++) CPU_SET(i, &all);
    raised = raised || setpriority(PRIO_PROCESS, 0, -20) == 0;
    raised = raised || sched_setscheduler(0, SCHED_FIFO, &first) == 0;
    sched_setaffinity(0, sizeof all, &all);
    sched_getaffinity(0, sizeof all, &all);
    end(raised || CPU_COUNT(&all) > CPU_COUNT(&its));
}
