// A filter of system calls: what no candidate needs, and what many an escape began with. The calls
// fail with EPERM, so that programs which can do without go on.
//
// Some entries are there for the figures rather than for safety:
// - A process that ignores SIGCHLD has its children's processor time charged to nobody.
// - Memory that belongs to no address space (memfd, System V, locks, filters) escapes its limit, and
//   so does memory that may lie there while no process maps it, or in pages of another size.
// - A program that leaves the processors it was put on would look faster on the clock.
// - What the kernel counts for the whole machine, and what it keeps in memory of files, would tell
//   one run of another.
// Where a program needs one of those all the same, the supervisor makes the call: see calls.hpp.

#pragma once

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <fcntl.h>
#include <initializer_list>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace filter {

#if defined __x86_64__
constexpr unsigned MACHINE = AUDIT_ARCH_X86_64;
#elif defined __aarch64__
constexpr unsigned MACHINE = AUDIT_ARCH_AARCH64;
#else
constexpr unsigned MACHINE = 0;  // unknown: no filter
#endif

// Flags of clone(2): every CLONE_NEW; CLONE_PIDFD, for the machine counts those descriptors; and
// CLONE_PARENT, which makes a process that its maker's parent has to account for.
constexpr unsigned NOT_IN_CLONE = 0x7E020000 | 0x1000 | 0x8000;
// Those of threads, and of processes that their maker waits for. Another process in the same memory
// would be made as fast as a thread, while what it takes is known in hundredths of a second only.
constexpr unsigned SHARES_MEMORY = 0x100, WITH_MEMORY = 0x10000 | 0x4000;
constexpr unsigned CLONE3 = 435;                 // it hides its flags; C libraries do without it
constexpr unsigned X32 = 0x40000000;             // bit of the calls of another interface

const unsigned REFUSED[] = {
    // other processes, the supervisor among them: their memory, their limits, their turn
    SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kcmp, SYS_migrate_pages,
    SYS_move_pages, SYS_ioprio_set, SYS_sched_setattr, SYS_sched_setparam,
    SYS_sched_setscheduler, SYS_setrlimit, 438 /* pidfd_getfd */, 440 /* process_madvise */,
    // the network, of which some families know no namespaces
    SYS_socket,
    // memory outside any address space
    447 /* memfd_secret */, SYS_shmget, SYS_msgget, SYS_semget, SYS_mq_open, SYS_io_setup,
    // what of a file is in memory
    SYS_mincore, SYS_readahead, 451 /* cachestat */, 457 /* statmount */, 458 /* listmount */,
    // namespaces and mounts
    SYS_unshare, SYS_setns, SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot,
    SYS_name_to_handle_at, SYS_open_by_handle_at, SYS_fanotify_init, 428 /* open_tree */,
    429 /* move_mount */, 430 /* fsopen */, 431 /* fsconfig */, 432 /* fsmount */,
    433 /* fspick */, 442 /* mount_setattr */,
    // the kernel itself
    SYS_bpf, SYS_perf_event_open, SYS_userfaultfd, 425 /* io_uring_setup */,
    426 /* io_uring_enter */, 427 /* io_uring_register */, SYS_init_module, SYS_finit_module,
    SYS_delete_module, SYS_kexec_load, 443 /* quotactl_fd */, SYS_syslog, SYS_acct, SYS_quotactl,
    SYS_seccomp, SYS_swapon, SYS_swapoff, SYS_reboot, SYS_add_key, SYS_request_key, SYS_keyctl, SYS_vhangup,
#if defined __x86_64__
    SYS_iopl, SYS_ioperm, SYS_modify_ldt, SYS_kexec_file_load,
#endif
    // clocks and the machine's name
    SYS_settimeofday, SYS_clock_settime, SYS_clock_adjtime, SYS_adjtimex, SYS_sethostname,
    SYS_setdomainname};

// Refused where a run has a file system of its own, which may hold no number of the machine's:
// what tells those of processes, sockets and locks, and what keeps memory in the kernel.
const unsigned REFUSED_ALONE[] = {
    434 /* pidfd_open */, SYS_getsockopt, SYS_setsockopt, SYS_getsockname, SYS_getpeername,
    SYS_bind, SYS_connect, SYS_listen, SYS_accept, SYS_accept4, SYS_sendmsg, SYS_recvmsg,
    SYS_sendmmsg, SYS_recvmmsg, SYS_inotify_init1, SYS_setxattr, SYS_lsetxattr, SYS_fsetxattr,
    SYS_vmsplice, 463 /* setxattrat */,
#if defined __x86_64__
    SYS_inotify_init,
#endif
};

// Made by the supervisor in the program's place.
const unsigned ASKED[] = {SYS_socketpair, SYS_memfd_create, SYS_sched_setaffinity};
const unsigned ASKED_ALONE[] = {SYS_pipe2, SYS_sysinfo,
#if defined __x86_64__
                                SYS_pipe,
#endif
};

// Calls that would tell or copy what is behind a descriptor of a socket; its number comes first.
const unsigned ABOUT_DESCRIPTORS[] = {SYS_fstat, SYS_newfstatat, SYS_dup, SYS_dup3,
#if defined __x86_64__
                                      SYS_dup2,
#endif
};
constexpr unsigned NOT_TO_READ = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_DIRECTORY | O_PATH;
constexpr unsigned FIRST_SOCKET = 192, SOCKETS = 16;

const unsigned REFUSE = SECCOMP_RET_ERRNO | EPERM;
const unsigned PRETEND = SECCOMP_RET_ERRNO;  // nothing is done, and success reported

inline sock_filter load(size_t at) {
    return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<unsigned>(at));
}

inline sock_filter load_argument(int number, size_t half = 0) {  // the lower half comes first
    return load(offsetof(seccomp_data, args) + 8 * static_cast<size_t>(number) + 4 * half);
}

inline sock_filter skip_unless(unsigned test, unsigned value, size_t count) {
    return BPF_JUMP(BPF_JMP | test | BPF_K, value, 0, static_cast<__u8>(count));
}

inline sock_filter answer(unsigned what) { return BPF_STMT(BPF_RET | BPF_K, what); }

using Code = std::vector<sock_filter>;

inline void append(Code& code, std::initializer_list<sock_filter> more) {
    code.insert(code.end(), more);
}

template <size_t N> void append_each(Code& code, const unsigned (&calls)[N], unsigned what) {
    for (const unsigned call : calls) append(code, {skip_unless(BPF_JEQ, call, 1), answer(what)});
}

// What depends on arguments, but for what a run that is alone has besides.
inline void append_inspected(Code& code, bool alone, unsigned asked) {
    append(code, {
        skip_unless(BPF_JEQ, SYS_clone, 7),
        load_argument(0),
        skip_unless(BPF_JSET, NOT_IN_CLONE, 1),
        answer(REFUSE),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, WITH_MEMORY, 2, 0),
        skip_unless(BPF_JSET, SHARES_MEMORY, 1),
        answer(REFUSE),
        answer(SECCOMP_RET_ALLOW),

        skip_unless(BPF_JEQ, SYS_rt_sigaction, 8),
        load_argument(0),
        skip_unless(BPF_JEQ, SIGCHLD, 5),
        load_argument(1),  // a pointer to the new action, null to ask for the old one
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 2),
        load_argument(1, 1),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0),
        answer(asked == REFUSE ? PRETEND : asked),
        answer(SECCOMP_RET_ALLOW),

        // Its own turn may come later, nobody's earlier.
        skip_unless(BPF_JEQ, SYS_setpriority, 6),
        load_argument(0),
        skip_unless(BPF_JEQ, PRIO_PROCESS, 3),
        load_argument(1),
        skip_unless(BPF_JEQ, 0, 1),
        answer(SECCOMP_RET_ALLOW),
        answer(REFUSE),

        // Limits of its own only, and that of core dumps only in appearance: see the supervisor.
        skip_unless(BPF_JEQ, SYS_prlimit64, 11),
        load_argument(0),
        skip_unless(BPF_JEQ, 0, 8),
        load_argument(1),
        skip_unless(BPF_JEQ, RLIMIT_CORE, 4),
        load_argument(2),  // a pointer to the new limit, null to ask for the old one
        skip_unless(BPF_JEQ, 0, 3),
        load_argument(2, 1),
        skip_unless(BPF_JEQ, 0, 1),
        answer(SECCOMP_RET_ALLOW),
        answer(PRETEND),
        answer(REFUSE),

        // A filter of its own would also silence an instrument that shares its process.
        skip_unless(BPF_JEQ, SYS_prctl, 4),
        load_argument(0),
        skip_unless(BPF_JEQ, PR_SET_SECCOMP, 1),
        answer(REFUSE),
        answer(SECCOMP_RET_ALLOW),

        // Pages that are taken away while a process needs them are still its memory.
        skip_unless(BPF_JEQ, SYS_madvise, 5),
        load_argument(2),
        skip_unless(BPF_JGE, 20 /* MADV_COLD */, 2),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 22 /* after MADV_PAGEOUT */, 1, 0),
        answer(PRETEND),
        answer(SECCOMP_RET_ALLOW),

        // Huge pages are not counted as resident.
        skip_unless(BPF_JEQ, SYS_mmap, 7),
        load_argument(3),
        skip_unless(BPF_JSET, alone ? MAP_HUGETLB : 0, 1),
        answer(SECCOMP_RET_ERRNO | ENOMEM),
        // Nor is shared memory while no process maps it, so it counts from its first mapping on.
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, MAP_ANONYMOUS, 0, 2),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, MAP_SHARED, 0, 1),  // or one that is validated
        answer(asked == REFUSE && !alone ? SECCOMP_RET_ALLOW : asked),
        answer(SECCOMP_RET_ALLOW),

        // Advice on what of a file should be in memory may be ignored.
        skip_unless(BPF_JEQ, SYS_fadvise64, 1),
        answer(PRETEND),

        // Reads that succeed only if the file is in memory are among those with flags.
        skip_unless(BPF_JEQ, SYS_preadv2, 4),
        load_argument(5),
        skip_unless(BPF_JEQ, 0, 1),
        answer(SECCOMP_RET_ALLOW),
        answer(SECCOMP_RET_ERRNO | EOPNOTSUPP),
    });
}

// What a run that has a file system of its own may not do, since the kernel would keep it, or tell.
inline void append_alone(Code& code, unsigned asked) {
    if (asked != REFUSE)  // to read: what it wants of /proc is written for it
        append(code, {skip_unless(BPF_JEQ, SYS_openat, 4), load_argument(2),
                      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, NOT_TO_READ, 1, 0), answer(asked),
                      answer(SECCOMP_RET_ALLOW)});
    // Of a file's times, when it was made cannot be renewed, and only this tells.
    append(code, {skip_unless(BPF_JEQ, SYS_statx, 1), answer(SECCOMP_RET_ERRNO | ENOSYS)});
    append(code, {skip_unless(BPF_JEQ, SYS_fcntl, 19), load_argument(1)});
    for (const int command : {F_SETPIPE_SZ, F_SETLK, F_SETLKW, F_OFD_SETLK, F_OFD_SETLKW})
        append(code, {skip_unless(BPF_JEQ, unsigned(command), 1), answer(REFUSE)});
    append(code, {BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, F_DUPFD, 2, 0),
                  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, F_DUPFD_CLOEXEC, 1, 0),
                  answer(SECCOMP_RET_ALLOW),
                  load_argument(0),
                  skip_unless(BPF_JGE, FIRST_SOCKET, 2),
                  BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, FIRST_SOCKET + SOCKETS, 1, 0),
                  answer(REFUSE), answer(SECCOMP_RET_ALLOW)});
    for (const unsigned call : ABOUT_DESCRIPTORS)
        append(code, {skip_unless(BPF_JEQ, call, 5), load_argument(0),
                      skip_unless(BPF_JGE, FIRST_SOCKET, 2),
                      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, FIRST_SOCKET + SOCKETS, 1, 0),
                      answer(REFUSE), answer(SECCOMP_RET_ALLOW)});
}

// Streams, which reach nothing but the run's own network namespace and the sockets that it is given;
// other kinds of sockets know machines, interfaces or raw packets.
inline void append_streams(Code& code) {
    append(code, {
        skip_unless(BPF_JEQ, SYS_socketpair, 1),
        answer(SECCOMP_RET_ALLOW),

        skip_unless(BPF_JEQ, SYS_socket, 9),
        load_argument(0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_UNIX, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET6, 0, 4),
        load_argument(1),
        BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0xF),  // the rest are flags
        skip_unless(BPF_JEQ, SOCK_STREAM, 1),
        answer(SECCOMP_RET_ALLOW),
        answer(REFUSE),
    });
}

// The pointers that execve is called with for the one program that may be executed.
using Sole = const void* const[3];

// Refuses every call to execute a program but that one, which only the supervisor makes: whatever it
// executes can then never be replaced by another program.
inline void append_sole(Code& code, Sole& pointers) {
    append(code, {skip_unless(BPF_JEQ, SYS_execveat, 1), answer(REFUSE),
                  skip_unless(BPF_JEQ, SYS_execve, 3 * 6 + 1)});
    for (int number = 0; number < 3; ++number) {
        const auto wanted = reinterpret_cast<unsigned long long>(pointers[number]);
        for (const size_t half : {0u, 1u})
            append(code, {load_argument(number, half),
                          BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
                                   static_cast<unsigned>(wanted >> 32 * half), 1, 0),
                          answer(REFUSE)});
    }
    append(code, {answer(SECCOMP_RET_ALLOW),
                  // or a full pipe could swallow what is reported
                  skip_unless(BPF_JEQ, SYS_fcntl, 4), load_argument(1),
                  skip_unless(BPF_JEQ, F_SETPIPE_SZ, 1), answer(REFUSE),
                  answer(SECCOMP_RET_ALLOW)});
}

inline Code program(bool alone, unsigned asked, Sole* sole, bool streams) {
    Code code{
        load(offsetof(seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MACHINE, 1, 0),
        answer(SECCOMP_RET_KILL_PROCESS),
        load(offsetof(seccomp_data, nr)),

        skip_unless(BPF_JGE, X32, 1),
        answer(SECCOMP_RET_KILL_PROCESS),

        skip_unless(BPF_JEQ, CLONE3, 1),
        answer(SECCOMP_RET_ERRNO | ENOSYS),
    };
    append_inspected(code, alone, asked);
    if (sole) append_sole(code, *sole);
    if (streams) append_streams(code);
    append_each(code, ASKED, asked);
    append_each(code, REFUSED, REFUSE);
    if (alone) {
        append_alone(code, asked);
        append_each(code, ASKED_ALONE, asked);
        append_each(code, REFUSED_ALONE, REFUSE);
    }
    code.push_back(answer(SECCOMP_RET_ALLOW));
    return code;
}

// Holds this process and all it starts to the filter for ever. ``asks`` is set to a descriptor from
// which the supervisor learns of the calls that it makes, if ``asking``, or to -1 without;
// false where it has no filters. ``alone``: the run has a file system of its own; ``sole``: the one
// program that may be executed, if there may be no other; ``streams``: it may make stream sockets.
inline bool install(bool alone, bool asking, int& asks, Sole* sole, bool streams) {
    asks = -1;
    if (MACHINE == 0) return true;
    for (const unsigned asked : {unsigned(SECCOMP_RET_USER_NOTIF), REFUSE}) {
        if (asked != REFUSE && !asking) continue;
        Code code = program(alone, asked, sole, streams);
        const sock_fprog given{static_cast<unsigned short>(code.size()), code.data()};
        // Without the first flag older kernels would slow the program down to hinder speculation.
        const unsigned flags = SECCOMP_FILTER_FLAG_SPEC_ALLOW |
            (asked == REFUSE ? 0 : SECCOMP_FILTER_FLAG_NEW_LISTENER);
        const long result = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &given);
        if (result < 0) continue;
        if (asked != REFUSE) asks = static_cast<int>(result);
        return true;
    }
    return false;
}

}  // namespace filter
