// status: runtime_error
// Takes processor, files and limits from process 1, so that it no longer sees.
#include "answer.hpp"
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>

int main() {
    const rlimit none{0, 0};
    const sched_param idle{};
    cpu_set_t first;
    CPU_ZERO(&first);
    CPU_SET(0, &first);
    bool done = prlimit(1, RLIMIT_NOFILE, &none, nullptr) == 0;
    done = done || prlimit(1, RLIMIT_CPU, &none, nullptr) == 0;
    done = done || setpriority(PRIO_PROCESS, 1, 19) == 0 || setpriority(PRIO_USER, 0, 19) == 0;
    done = done || sched_setscheduler(1, SCHED_IDLE, &idle) == 0;
    done = done || sched_setaffinity(1, sizeof first, &first) == 0;
    done = done || syscall(SYS_ioprio_set, 1, 1, 3 << 13) == 0;
    end(done);
}
