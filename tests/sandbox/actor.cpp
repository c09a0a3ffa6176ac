// Does what a sandbox has to cope with, as its arguments say.
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <sched.h>
#include <string>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

static int fill(long megabytes) {
    for (long i = 0; i < megabytes; i++) memset(new char[1 << 20], 1, 1 << 20);
    return 0;
}

static int spin(double seconds) {
    volatile unsigned long sum = 0;
    for (long i = 0; i < long(seconds * 4e8); i++) sum = sum + 1;
    return 0;
}

static int descriptors() {
    for (int i = 0; i < 1024; i++) {
        if (fcntl(i, F_GETFD) != -1) printf("%d ", i);
    }
    return 0;
}

// Eight children hold memory until they have all got theirs, and some seconds longer; their first
// threads, or others if those have `gone` by then.
static int family(long megabytes, double seconds, bool gone = false) {
    int ready[2];
    if (pipe(ready)) return 1;
    const auto hold = [&] {
        if (gone) usleep(100'000);
        fill(megabytes);
        if (write(ready[1], "x", 1) != 1) _exit(1);
        sleep(60);
        _exit(0);
    };
    for (int i = 0; i < 8; i++) {
        if (fork() != 0) continue;
        if (!gone) hold();
        std::thread(hold).detach();
        syscall(SYS_exit, 0);
    }
    char byte;
    for (int i = 0; i < 8; i++) {
        if (read(ready[0], &byte, 1) != 1) return 1;
    }
    usleep(useconds_t(seconds * 1e6));
    return kill(0, SIGKILL);
}

// Counts how many children can live at a time, and keeps them for some seconds.
static int forks(int most, double seconds) {
    int count = 0;
    for (; count < most; count++) {
        const int child = fork();
        if (child < 0) break;
        if (child == 0) {
            pause();
            _exit(0);
        }
    }
    printf("%d\n", count);
    fflush(stdout);
    usleep(useconds_t(seconds * 1e6));
    return 0;
}

// Asks for a handler, while threads turn what is asked for into what is refused.
static void race() {
    struct Action {
        void (*handler)(int);
        volatile unsigned long flags;
        void (*restorer)();
        unsigned long mask;
    };
    Action told{}, *const asked = new Action{[](int) {}, 0x4000000 /* SA_RESTORER */, nullptr, 0};
    for (int i = 0; i < 3; i++)
        std::thread([=] {
            for (;;) asked->flags = asked->flags ^ SA_NOCLDWAIT;
        }).detach();
    for (int i = 0; i < 300 && !(told.flags & SA_NOCLDWAIT); i++) {
        syscall(SYS_rt_sigaction, SIGCHLD, asked, nullptr, sizeof told.mask);
        syscall(SYS_rt_sigaction, SIGCHLD, nullptr, &told, sizeof told.mask);
    }
    if (told.flags & SA_NOCLDWAIT) puts("deaf");
}

// A child computes for a parent that would never be charged for it.
static int hide(double seconds, bool racing) {
    struct sigaction ignore = {};
    ignore.sa_handler = SIG_IGN;
    ignore.sa_flags = SA_NOCLDWAIT;
    if (racing) race();
    else sigaction(SIGCHLD, &ignore, nullptr);
    int answer[2];
    if (pipe(answer)) return 1;
    if (fork() == 0) {
        spin(seconds);
        return write(answer[1], "x", 1) != 1;
    }
    close(answer[1]);
    char byte;
    while (read(answer[0], &byte, 1) == 1) {}
    usleep(100000);
    fflush(stdout);
    _exit(0);
}

// What the filter of system calls lets through.
static int calls() {
    struct { const char* name; long number; long first, second, third; } tried[] = {
        {"ptrace", SYS_ptrace, 0 /* PTRACE_TRACEME */, 0, 0},
        {"process_vm_readv", SYS_process_vm_readv, 1, 0, 0},
        {"setpriority", SYS_setpriority, PRIO_PROCESS, 1, 19},
        {"mincore", SYS_mincore, 0, 0, 0},
        {"readahead", SYS_readahead, 0, 0, 0},
        {"sched_setscheduler", SYS_sched_setscheduler, 1, SCHED_IDLE, 0},
        {"prlimit of another", SYS_prlimit64, 1, RLIMIT_NOFILE, 0},
        {"socket", SYS_socket, 2 /* AF_INET */, 1, 0},
        {"vsock", SYS_socket, 40 /* AF_VSOCK */, 1, 0},
        {"unix socket", SYS_socket, 1 /* AF_UNIX */, 1, 0},
        {"shmget", SYS_shmget, 0, 4096, 01600},
        {"semget", SYS_semget, 0, 1, 01600},
        {"msgget", SYS_msgget, 0, 01600, 0},
        {"unshare", SYS_unshare, 0x10000000 /* CLONE_NEWUSER */, 0, 0},
        {"setns", SYS_setns, 0, 0, 0},
        {"mount", SYS_mount, 0, 0, 0},
        {"chroot", SYS_chroot, long("/tmp"), 0, 0},
        {"open_by_handle_at", SYS_open_by_handle_at, 0, 0, 0},
        {"bpf", SYS_bpf, 0, 0, 0},
        {"perf_event_open", SYS_perf_event_open, 0, 0, 0},
        {"userfaultfd", SYS_userfaultfd, 0, 0, 0},
        {"io_uring_setup", 425, 1, 0, 0},
        {"add_key", SYS_add_key, 0, 0, 0},
        {"keyctl", SYS_keyctl, 0, 0, 0},
        {"syslog", SYS_syslog, 3, 0, 0},
        {"clock_settime", SYS_clock_settime, 0, 0, 0},
        {"new namespace", SYS_clone, 0x10000000 | SIGCHLD, 0, 0},
        {"process of its parent", SYS_clone, 0x8000 | SIGCHLD, 0, 0},
        {"process in the same memory", SYS_clone, 0x100 | SIGCHLD, 0, 0},
    };
    for (const auto& one : tried) {
        const long result = syscall(one.number, one.first, one.second, one.third, 0, 0);
        if (result != -1 || errno != EPERM) printf("%s\n", one.name);
        if (result == 0 && one.number == SYS_clone) _exit(0);
    }
    errno = 0;
    syscall(435 /* clone3 */, 0, 0);
    if (errno != ENOSYS) puts("clone3");
    return 0;
}

// Ways to the supervisor, which is process 1; prints those that are open.
static int supervisor() {
    for (const char* name : {"mem", "environ", "auxv", "syscall", "fd/1", "root/x", "cwd/x", "exe"}) {
        const int file = open((std::string("/proc/1/") + name).c_str(), O_RDONLY);
        char byte;
        if (file >= 0 && read(file, &byte, 1) >= 0) puts(name);
    }
    for (const int number : {SIGKILL, SIGSTOP, SIGTERM, SIGSEGV, SIGCHLD}) kill(1, number);
    for (int i = 0; i < 1000; i++) kill(1, SIGCHLD);
    kill(-1, SIGTERM);
    return 0;
}

// Pairs of sockets, one after the other, and then all that can be held; prints how many.
static int pairs(int count) {
    int ends[2], made = 0, held = 0;
    char bytes[4];
    for (; made < count && socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) == 0; made++) {
        if (write(ends[0], "abc", 3) != 3 || read(ends[1], bytes, 4) != 3) break;
        close(ends[0]), close(ends[1]);
    }
    while (held < 256 && socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0) {
        held++;
        close(ends[0]);  // one end is held as well as two
    }
    printf("%d %d", made, held);
    return 0;
}

static bool can_write(int file) { return write(file, "x", 1) == 1 || ftruncate(file, 0) == 0; }

// Ways to change the file on standard input; prints those that are open.
static int taint() {
    if (can_write(0)) puts("as it is");
    fchmod(0, 0666);  // which may be its own
    for (const char* path : {"/proc/self/fd/0", "/dev/stdin", "/dev/fd/0"})
        if (can_write(open(path, O_RDWR)) || can_write(open(path, O_WRONLY | O_TRUNC))) puts(path);
    char path[4096] = {};
    if (readlink("/proc/self/fd/0", path, sizeof path - 1) < 0) return 1;
    if (unlink(path) == 0) puts("unlink");
    if (rename(path, "/tmp/away") == 0) puts("rename");
    if (open(path, O_WRONLY) >= 0) puts("by name");
    return 0;
}

int main(int count, char** words) {
    const std::string what = words[1];
    const double much = count > 2 ? atof(words[2]) : 0, seconds = count > 3 ? atof(words[3]) : 0;
    if (what == "fill") return fill(long(much));
    if (what == "spin") return spin(much);
    if (what == "descriptors") return descriptors();
    if (what == "family") return family(long(much), seconds);
    if (what == "family of threads") return family(long(much), seconds, true);
    if (what == "thread's family") {
        std::thread([&] { family(long(much), seconds); }).join();
        return 0;
    }
    if (what == "forks") return forks(int(much), seconds);
    if (what == "hide" || what == "race") return hide(much, what == "race");
    if (what == "calls") return calls();
    if (what == "supervisor") return supervisor();
    if (what == "pairs") return pairs(int(much));
    if (what == "taint") return taint();
    return 99;
}
