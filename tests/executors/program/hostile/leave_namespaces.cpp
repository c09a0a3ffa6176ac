// status: runtime_error
// Makes namespaces and mounts of its own, becomes root in one, and walks out.
#include "answer.hpp"
#include <csignal>
#include <sched.h>
#include <sys/mount.h>
#include <sys/syscall.h>

int main() {
    bool out = setuid(0) == 0 || setgid(0) == 0;
    out = out || unshare(CLONE_NEWUSER) == 0 || unshare(CLONE_NEWNS) == 0;
    out = out || syscall(SYS_clone, CLONE_NEWUSER | CLONE_NEWPID | SIGCHLD, 0, 0, 0, 0) > 0;
    struct { unsigned long flags, rest[10]; } wanted{CLONE_NEWUSER, {}};
    out = out || syscall(435 /* clone3 */, &wanted, sizeof wanted) >= 0;
    out = out || mount("proc", "/tmp", "proc", 0, nullptr) == 0 || umount("/usr") == 0;
    out = out || mount(nullptr, "/", nullptr, MS_REMOUNT | MS_BIND, nullptr) == 0;
    out = out || chroot("/tmp") == 0 || syscall(SYS_pivot_root, "/tmp", "/tmp") == 0;
    end(out || access("../../../../../../etc/passwd", F_OK) == 0);
}
