// System calls that the supervisor makes in a program's place: those that honest programs need, but
// that would hand out one of the machine's counters, memory that no limit sees, time that is
// charged to nobody, or processors that the program was not given.

#pragma once

#include "filter.hpp"
#include "holding.hpp"
#include "processes.hpp"
#include "root.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <set>
#include <string>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/uio.h>
#include <unistd.h>
#include <vector>

namespace calls {

constexpr double OF_SOCKETS = 2 * 212992;  // bytes that a pair may hold by default
constexpr size_t MAX_PAIRS = 64;           // that a run which is not alone may hold at a time
constexpr int SEALING = 2;                 // MFD_ALLOW_SEALING
constexpr int TRIES = 20;                  // a millisecond apart, to have a program to itself
const double PAGE = static_cast<double>(sysconf(_SC_PAGESIZE));

class Calls {
  public:
    Calls(int listener, root::Own& own, int complaints, const cpu_set_t& processors, double memory,
          bool alone)
        : listener_(listener), own_(own), complaints_(complaints), processors_(processors),
          alone_(alone), memory_(memory) {}
    Calls(const Calls&) = delete;
    Calls& operator=(const Calls&) = delete;
    ~Calls() { close(listener_); }

    int listener() const { return listener_; }

    // Bytes of the kernel's that cannot be looked up.
    double held() const { return (sockets_ + double(pairs_.size())) * OF_SOCKETS + shared_; }

    // Bytes of them that are in shared anonymous mappings, and resident in processes besides.
    double shared() const { return shared_; }

    // Answers one call.
    void answer() {
        seccomp_notif asked{};
        if (ioctl(listener_, SECCOMP_IOCTL_NOTIF_RECV, &asked) != 0) return;  // it was killed
        asked_ = &asked;
        seccomp_notif_resp reply{};
        reply.id = asked.id;
        const long result = act(asked.data);
        if (result == PROCEED) reply.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
        else if (result < 0) reply.error = static_cast<int>(result);
        else reply.val = result;
        ioctl(listener_, SECCOMP_IOCTL_NOTIF_SEND, &reply);
        threads_.release();
    }

  private:
    static constexpr long PROCEED = 1L << 40;

    int listener_;
    root::Own& own_;
    int complaints_;
    cpu_set_t processors_;
    bool alone_;
    int sockets_ = 0;
    std::vector<std::array<ino_t, 2>> pairs_;  // by the numbers of both ends
    double memory_, shared_ = 0;
    const seccomp_notif* asked_ = nullptr;
    holding::Threads threads_;

    long act(const seccomp_data& call) {
        const auto argument = [&](int number) { return call.args[number]; };
        switch (call.nr) {
#ifdef SYS_pipe
            case SYS_pipe: return pipe(argument(0), 0);
#endif
            case SYS_pipe2: return pipe(argument(0), static_cast<int>(argument(1)));
            case SYS_socketpair:
                return sockets(static_cast<int>(argument(0)), static_cast<int>(argument(1)),
                               static_cast<int>(argument(2)), argument(3));
            case SYS_mmap: return share(argument(1));
            case SYS_memfd_create: return file(static_cast<unsigned>(argument(1)));
            case SYS_sysinfo: return machine(argument(0));
            case SYS_sched_setaffinity:
                return stay(static_cast<pid_t>(argument(0)), argument(1), argument(2));
            case SYS_rt_sigaction: return listen(argument(1));
            case SYS_openat: return open_of_itself(argument(1), argument(2) & O_CLOEXEC);
            default: return -ENOSYS;
        }
    }

    // Whether the caller still waits: else its number may be another's by now.
    bool waits() const { return ioctl(listener_, SECCOMP_IOCTL_NOTIF_ID_VALID, &asked_->id) == 0; }

    pid_t caller() const { return static_cast<pid_t>(asked_->pid); }

    bool copy_out(unsigned long where, const void* what, size_t size) const {
        const iovec from{const_cast<void*>(what), size}, to{reinterpret_cast<void*>(where), size};
        return waits() && process_vm_writev(caller(), &from, 1, &to, 1, 0) == ssize_t(size);
    }

    bool copy_in(unsigned long where, void* what, size_t size) const {
        const iovec to{what, size}, from{reinterpret_cast<void*>(where), size};
        return process_vm_readv(caller(), &to, 1, &from, 1, 0) == ssize_t(size) && waits();
    }

    // Gives the caller a descriptor, which is closed here; its number there, or minus what failed.
    long give(int descriptor, bool closes, int number = -1) const {
        seccomp_notif_addfd given{};
        given.id = asked_->id;
        given.srcfd = static_cast<unsigned>(descriptor);
        given.newfd_flags = closes ? O_CLOEXEC : 0;
        if (number >= 0) {
            given.newfd = static_cast<unsigned>(number);
            given.flags = SECCOMP_ADDFD_FLAG_SETFD;
        }
        const long got = ioctl(listener_, SECCOMP_IOCTL_NOTIF_ADDFD, &given);
        const long result = got < 0 ? -errno : got;
        close(descriptor);
        return result;
    }

    long refuse(const char* what, int error) const {
        dprintf(complaints_, "sandbox: %s\n", what);
        return -error;
    }

    // Gives it two and writes their numbers there: any, or the given one and the next.
    long give_pair(const int (&made)[2], bool closes, unsigned long where, int number = -1) const {
        int ends[2];
        for (int i = 0; i < 2; ++i) {
            const long given = give(made[i], closes, number < 0 ? number : number + i);
            if (given < 0) {
                if (i == 0) close(made[1]);
                return given;
            }
            ends[i] = static_cast<int>(given);
        }
        return copy_out(where, ends, sizeof ends) ? 0 : -EFAULT;
    }

    // A pipe with a name for a moment: its number is of its own file system, which counts them.
    long pipe(unsigned long where, int flags) {
        if (flags & ~(O_CLOEXEC | O_NONBLOCK)) return -EINVAL;
        const int folder = own_.pipes_folder();
        if (folder < 0 || mkfifoat(folder, "pipe", 0600) != 0)
            return refuse("a program may hold 64 pipes at a time", EMFILE);
        const int reading = openat(folder, "pipe", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        const int writing = openat(folder, "pipe", O_WRONLY | O_NONBLOCK | O_CLOEXEC);
        unlinkat(folder, "pipe", 0);
        for (const int end : {reading, writing}) fcntl(end, F_SETFL, flags & O_NONBLOCK);
        return give_pair({reading, writing}, flags & O_CLOEXEC, where);
    }

    // Sockets have numbers of the machine's, so they get descriptors of which those are not told.
    long sockets(int family, int type, int protocol, unsigned long where) {
        if (family != AF_UNIX) return -EPERM;
        if (!alone_) return numbered_sockets(type, protocol, where);
        if (sockets_ == filter::SOCKETS / 2)
            return refuse("a program may make 8 pairs of sockets", EMFILE);
        int made[2];
        if (socketpair(AF_UNIX, type | SOCK_CLOEXEC, protocol, made) != 0) return -errno;
        return give_pair(made, type & SOCK_CLOEXEC, where, filter::FIRST_SOCKET + 2 * sockets_++);
    }

    // What is not alone may be told their numbers, so it may close them and make others: cargo makes
    // a pair for each program that it starts.
    long numbered_sockets(int type, int protocol, unsigned long where) {
        if (pairs_.size() >= MAX_PAIRS) forget_closed();
        if (pairs_.size() >= MAX_PAIRS)
            return refuse("a program may hold 64 pairs of sockets at a time", EMFILE);
        int made[2];
        if (socketpair(AF_UNIX, type | SOCK_CLOEXEC, protocol, made) != 0) return -errno;
        std::array<ino_t, 2> numbers{};
        for (int i = 0; i < 2; ++i) {
            struct stat facts{};
            if (fstat(made[i], &facts) == 0) numbers[i] = facts.st_ino;
        }
        pairs_.push_back(numbers);  // which are forgotten if they are closed
        return give_pair(made, type & SOCK_CLOEXEC, where);
    }

    // The kernel lists the sockets that anybody holds, with their numbers before the last column.
    void forget_closed() {
        FILE* list = fopen("/proc/self/net/unix", "re");
        if (!list) return;
        std::set<ino_t> open;
        char line[512];
        unsigned long number;
        while (fgets(line, sizeof line, list))
            if (sscanf(line, "%*s %*s %*s %*s %*s %*s %lu", &number) == 1) open.insert(number);
        fclose(list);
        pairs_.erase(std::remove_if(pairs_.begin(), pairs_.end(),
                                    [&](const std::array<ino_t, 2>& pair) {
                                        return !open.count(pair[0]) && !open.count(pair[1]);
                                    }),
                     pairs_.end());
    }

    // A file without a name in the run's own folder, bounded and counted with all that is there.
    long file(unsigned flags) const {
        if (flags & ~(MFD_CLOEXEC | SEALING)) return -EINVAL;
        const int made = openat(own_.files, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
        return made < 0 ? -errno : give(made, flags & MFD_CLOEXEC);
    }

    // Memory that processes share. It is there until the last mapping of any part of it is gone, and
    // any part can be mapped again until then, so neither what is resident of it nor what is mapped
    // shows how much that is: it counts with its whole size, to the end of the run.
    long share(unsigned long size) {
        const double rounded = std::ceil(static_cast<double>(size) / PAGE) * PAGE;
        if (memory_ > 0 && shared_ + rounded > memory_)
            return refuse("shared anonymous mappings count whole, and to the end of the run; "
                          "these exceed the memory limit", ENOMEM);
        shared_ += rounded;
        return PROCEED;
    }

    // The machine's size, but nothing of what happens on it.
    long machine(unsigned long where) const {
        struct sysinfo facts, shown{};
        if (sysinfo(&facts) != 0) return -errno;
        shown.totalram = shown.freeram = facts.totalram;
        shown.mem_unit = facts.mem_unit;
        shown.procs = 1;
        return copy_out(where, &shown, sizeof shown) ? 0 : -EFAULT;
    }

    // Processors of those that it was given.
    long stay(pid_t who, unsigned long size, unsigned long where) const {
        cpu_set_t wanted, both;
        CPU_ZERO(&wanted);
        size = std::min(size, static_cast<unsigned long>(sizeof wanted));
        if (!copy_in(where, &wanted, size)) return -EFAULT;
        CPU_AND(&both, &wanted, &processors_);
        if (CPU_COUNT(&both) == 0) return refuse("those processors are not this program's", EINVAL);
        if (who && !outer(who)) return -ESRCH;  // not of this run
        return sched_setaffinity(who ? who : caller(), sizeof both, &both) == 0 ? 0 : -errno;
    }

    // What a program reads of itself in /proc: a copy, without what is the machine's.
    long open_of_itself(unsigned long where, bool closes) const {
        char path[24] = {};
        const size_t rest = 4096 - where % 4096;  // what follows may not be there
        if (!copy_in(where, path, std::min(sizeof path - 1, rest))) return PROCEED;
        if (strncmp(path, "/proc/self/", 11)) return PROCEED;
        for (const char* name : {"maps", "stat", "statm", "status"}) {
            if (strcmp(path + 11, name)) continue;
            const std::string text = processes::of_itself(outer(caller()), name);
            const int made = openat(own_.files, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0444);
            if (made < 0) return -errno;
            if (write(made, text.data(), text.size()) < 0 || lseek(made, 0, SEEK_SET) != 0) {
                close(made);
                return -ENOENT;
            }
            return give(made, closes);
        }
        return PROCEED;
    }

    // The process of a thread of this run, by its number in the namespace of /proc; 0 for others.
    static pid_t outer(pid_t number) {
        for (const pid_t pid : processes::descendants())
            for (const pid_t thread : processes::threads(pid))
                if (processes::inner(thread) == number) return pid;
        return 0;
    }

    // What to do about the end of children. A process that ignores it has their time charged to
    // nobody, so that changes nothing and reports success. The kernel reads the caller's memory
    // again when it goes on, so until then nobody else may write there.
    long listen(unsigned long where) {
        struct {
            void (*handler)(int);
            unsigned long flags;
        } action{};
        const auto ignores = [&] { return action.handler == SIG_IGN || action.flags & SA_NOCLDWAIT; };
        if (!copy_in(where, &action, sizeof action)) return -EFAULT;
        if (ignores()) return 0;
        const pid_t process = outer(caller());
        if (processes::threads(process).size() != 1 && !threads_.hold(process, caller())) return 0;
        // A child that shares its parent's memory asks for the default before it becomes another
        // program, which begins with that.
        const int tries = action.handler == SIG_DFL ? 1 : TRIES;
        for (int tried = 1; is_open(process, where, sizeof action + 16); ++tried, usleep(1000))
            if (tried == tries) return 0;
        return copy_in(where, &action, sizeof action) && !ignores() ? PROCEED : 0;
    }

    // Whether other processes may change those bytes of the caller's: one that shares its memory, or
    // has the same mapping.
    bool is_open(pid_t process, unsigned long where, size_t size) const {
        for (const pid_t pid : processes::descendants())
            if (pid != process &&
                syscall(SYS_kcmp, caller(), processes::inner(pid), 1 /* KCMP_VM */, 0, 0) <= 0)
                return true;  // the same, or gone, or not to be told
        return !processes::owns(process, where, size, root::PROGRAM);
    }
};

}  // namespace calls
