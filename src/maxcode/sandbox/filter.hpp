// A filter of system calls: what no candidate needs, and what many an escape began with. The calls
// fail with EPERM, so that programs which can do without go on.
//
// Three entries are there for the figures rather than for safety:
// - A process that ignores SIGCHLD has its children's processor time charged to nobody, so setting
//   that signal's action changes nothing, and reports success.
// - Memory that belongs to no address space (memfd, System V) would escape the limit on memory.
// - A program that leaves the processors it was put on would look faster on the clock.

#pragma once

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
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

constexpr unsigned NEW_NAMESPACES = 0x7E020000;  // every CLONE_NEW flag that clone(2) knows
constexpr unsigned CLONE3 = 435;                 // it hides its flags; C libraries do without it
constexpr unsigned X32 = 0x40000000;             // bit of the calls of another interface

const unsigned REFUSED[] = {
    // other processes, the supervisor among them: their memory, their limits, their turn
    SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kcmp, SYS_migrate_pages,
    SYS_move_pages, SYS_setpriority, SYS_ioprio_set, SYS_sched_setaffinity, SYS_sched_setattr,
    SYS_sched_setparam, SYS_sched_setscheduler, SYS_setrlimit, 438 /* pidfd_getfd */,
    440 /* process_madvise */,
    // the network, of which some families know no namespaces
    SYS_socket, SYS_socketpair,
    // memory outside any address space
    SYS_memfd_create, 447 /* memfd_secret */, SYS_shmget, SYS_msgget, SYS_semget, SYS_mq_open,
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

// Refused as well where all memory has to be counted: what keeps data in the kernel, or takes pages
// away from a process that still needs them.
const unsigned UNCOUNTED[] = {
    SYS_socket, SYS_socketpair, SYS_memfd_create, SYS_shmget, SYS_vmsplice, SYS_io_setup,
    SYS_inotify_init1, SYS_setxattr, SYS_lsetxattr, SYS_fsetxattr, 463 /* setxattrat */,
#if defined __x86_64__
    SYS_inotify_init,
#endif
};
const unsigned UNCOUNTED_FCNTL[] = {F_SETPIPE_SZ, F_SETLK, F_SETLKW, F_OFD_SETLK, F_OFD_SETLKW};
const unsigned UNCOUNTED_MADVISE[] = {20 /* MADV_COLD */, 21 /* MADV_PAGEOUT */};

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

// Refuses a call whose argument is one of these.
template <size_t count>
void refuse_some(std::vector<sock_filter>& code, unsigned call, int argument,
                 const unsigned (&values)[count]) {
    code.insert(code.end(), {skip_unless(BPF_JEQ, call, 2 * count + 2), load_argument(argument)});
    for (const unsigned value : values)
        code.insert(code.end(), {skip_unless(BPF_JEQ, value, 1), answer(REFUSE)});
    code.push_back(answer(SECCOMP_RET_ALLOW));
}

// Refuses every call to execute a program but that with just these pointers, which only the
// supervisor makes: whatever it executes can then never be replaced by another program.
inline void refuse_others(std::vector<sock_filter>& code, const void* const (&pointers)[3]) {
    code.insert(code.end(), {skip_unless(BPF_JEQ, SYS_execveat, 1), answer(REFUSE)});
    code.push_back(skip_unless(BPF_JEQ, SYS_execve, 3 * 6 + 1));
    for (int number = 0; number < 3; ++number) {
        const unsigned long long wanted = reinterpret_cast<unsigned long long>(pointers[number]);
        for (const size_t half : {0u, 1u})
            code.insert(code.end(), {load_argument(number, half),
                                     BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
                                              static_cast<unsigned>(wanted >> 32 * half), 1, 0),
                                     answer(REFUSE)});
    }
    code.push_back(answer(SECCOMP_RET_ALLOW));
    const unsigned pipes[] = {F_SETPIPE_SZ};  // or a full one could swallow what is reported
    refuse_some(code, SYS_fcntl, 1, pipes);
}

// What a run asks for beyond the rest. `counted`: all memory has to be counted. `sole`: the
// arguments of execve of the one program that may be executed, if it is to stay the only one.
struct Rules {
    bool counted = false;
    const void* const (*sole)[3] = nullptr;
};

// Holds this process and all it starts to the filter for ever; false where Linux has none.
inline bool install(const Rules& rules) {
    if (MACHINE == 0) return true;
    std::vector<sock_filter> code{
        load(offsetof(seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MACHINE, 1, 0),
        answer(SECCOMP_RET_KILL_PROCESS),
        load(offsetof(seccomp_data, nr)),

        skip_unless(BPF_JGE, X32, 1),
        answer(SECCOMP_RET_KILL_PROCESS),

        skip_unless(BPF_JEQ, CLONE3, 1),
        answer(SECCOMP_RET_ERRNO | ENOSYS),

        skip_unless(BPF_JEQ, SYS_clone, 4),
        load_argument(0),
        skip_unless(BPF_JSET, NEW_NAMESPACES, 1),
        answer(REFUSE),
        answer(SECCOMP_RET_ALLOW),

        skip_unless(BPF_JEQ, SYS_rt_sigaction, 4),
        load_argument(0),
        skip_unless(BPF_JEQ, SIGCHLD, 1),
        answer(PRETEND),
        answer(SECCOMP_RET_ALLOW),

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
    };
    for (const unsigned call : REFUSED)
        code.insert(code.end(), {skip_unless(BPF_JEQ, call, 1), answer(REFUSE)});
    // A filter of its own would also silence an instrument that shares its process.
    const unsigned filters[] = {PR_SET_SECCOMP};
    refuse_some(code, SYS_prctl, 0, filters);
    if (rules.counted) {
        for (const unsigned call : UNCOUNTED)
            code.insert(code.end(), {skip_unless(BPF_JEQ, call, 1), answer(REFUSE)});
        refuse_some(code, SYS_fcntl, 1, UNCOUNTED_FCNTL);
        refuse_some(code, SYS_madvise, 2, UNCOUNTED_MADVISE);
    }
    if (rules.sole) refuse_others(code, *rules.sole);
    code.push_back(answer(SECCOMP_RET_ALLOW));
    const sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
    // Without the flag older kernels would slow the program down to hinder speculation.
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW,
                   &program) == 0;
}

}  // namespace filter
