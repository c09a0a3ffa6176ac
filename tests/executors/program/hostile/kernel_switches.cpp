// status: runtime_error
// Turns what concerns the whole machine.
#include "answer.hpp"
#include <fcntl.h>

int main() {
    bool opened = false;
    for (const char* path : {"/proc/sys/kernel/core_pattern", "/proc/sys/vm/drop_caches",
                             "/proc/sysrq-trigger", "/proc/sys/kernel/pid_max",
                             "/proc/sys/user/max_user_namespaces", "/proc/self/oom_score_adj",
                             "/proc/self/uid_map", "/sys/fs/cgroup/cgroup.procs"})
        opened = opened || open(path, O_WRONLY) >= 0;
    end(opened);
}
