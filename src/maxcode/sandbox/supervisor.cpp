// The supervisor: starts a program, enforces its limits, waits for all that comes of it, and
// reports what it used; and again, for each run that it is given. Isolation is the caller's
// business; as process 1 of a process namespace it is also the one that nothing inside can kill.
//
//   supervisor REPORT KEY=VALUE... -- COMMAND...
//
// REPORT is a socket; a line is written to it at first and one for each run, and when the other
// side is closed, or only says that no more will come, all is over. Keys: run (once for each:
// descriptors of standard input, output and error, seconds, processor seconds, bytes of a file),
// memory (bytes, of all processes together), crowd (processes,
// counted here), processes (and threads, counted by Linux for the user), files, uid (for the
// command), processors (a list as in 0,2), answers (a descriptor; the command has it as number 3),
// data (bytes that each may have for itself), sole (the command may not be replaced by another
// program), streams (it may make stream sockets). Words NAME=VALUE before the command's path are variables of its environment.
//
// With the keys program (its path), scratch (bytes) and copy (once for each library), every run is
// alone: it has a file system and a process namespace that are made for it, in which the command
// is /program. Otherwise several runs share all that, and none follows one that failed or left a
// trace. Where this is process 1 of a namespace, and only the file system of the folder it starts
// in can be written, a trace is a change of one of its folders, or a process number that was
// used up.

#include "calls.hpp"
#include "filter.hpp"
#include "folders.hpp"
#include "processes.hpp"
#include "root.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <map>
#include <memory>
#include <poll.h>
#include <sched.h>
#include <string>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace {

const double LOOK_FIRST = 0.0005, LOOK_LAST = 0.01;  // seconds between looks at the processes
const double LOOK_GROWTH = 1.1;                      // so about a tenth of the time so far
const double LOOK_PAUSE = 4;  // times as long as a look took, which may hold a program up
const double PARTING = 0.05;  // seconds that children may take to end after their parent
const rlim_t SIGNALS = 256;   // that wait or belong to timers: each holds a number
const double DYING = 10;      // seconds that the killed may take to be gone

struct SharedRun {
    int in, out, err;
    double seconds;
    unsigned long long cpu, output;
};

struct Used {  // by the processes of a run that are gone: seconds, and bytes of the largest
    double cpu = 0, in_kernel = 0, peak = 0;
};

std::map<std::string, std::string> given;
std::vector<std::string> libraries;
root::Base base;                    // if runs are alone
bool alone;
int report, ended_children;         // a descriptor that is ready when a child has ended
int* asks;                          // shared with the command until it runs: see filter::install

[[noreturn]] void fail(const char* what) {
    dprintf(report, "failed %s: %s\n", what, strerror(errno));
    _exit(126);
}

double number(const char* key) { return given.count(key) ? atof(given[key].c_str()) : 0; }

double now() {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

void limit(__rlimit_resource kind, rlim_t most) {
    rlimit old;
    getrlimit(kind, &old);
    if (old.rlim_max != RLIM_INFINITY && old.rlim_max < most) most = old.rlim_max;
    const rlimit wanted{most, most};
    if (setrlimit(kind, &wanted) != 0) fail("setting a limit");
}

void limit(__rlimit_resource kind, const char* key) {
    if (given.count(key)) limit(kind, strtoull(given[key].c_str(), nullptr, 10));
}

void become() {  // the user that was asked for, who has no capability
    const uid_t uid = static_cast<uid_t>(number("uid"));
    if (given.count("uid") &&
        (setgroups(0, nullptr) || setresgid(uid, uid, uid) || setresuid(uid, uid, uid)))
        fail("changing the user");
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    const __user_cap_data_struct none[2] = {};  // not even those that wait to be inherited
    if (syscall(SYS_capset, &header, none) != 0) fail("losing capabilities");
}

cpu_set_t processors() {  // that the command may use
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0) CPU_ZERO(&set);
    if (!given.count("processors")) return set;
    const std::string list = given["processors"];
    CPU_ZERO(&set);
    for (size_t at = 0; at < list.size(); at = list.find(',', at) + 1) {
        CPU_SET(atoi(list.c_str() + at), &set);
        if (list.find(',', at) == std::string::npos) break;
    }
    return set;
}

void stay_on(const cpu_set_t& set) {
    if (sched_setaffinity(0, sizeof set, &set) != 0) fail("pinning to processors");
}

// Makes the command's descriptors; the first number that it does not get.
unsigned connected(const SharedRun& run) {
    if (dup2(run.in, 0) < 0 || dup2(run.out, 1) < 0 || dup2(run.err, 2) < 0) fail("connecting");
    if (!given.count("answers")) return 3;
    report = fcntl(report, F_DUPFD_CLOEXEC, 4);  // it may have the number 3 itself
    if (report < 0 || dup2(static_cast<int>(number("answers")), 3) < 0) fail("connecting");
    return 4;
}

[[noreturn]] void execute(char** command, const SharedRun& run) {
    setpgid(0, 0);
    const unsigned closed = connected(run);
    become();
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // after `become`, which unsets it
    if (given.count("processors")) stay_on(processors());
    limit(RLIMIT_CORE, 1);  // the one value that also keeps the system's crash reporter away
    limit(RLIMIT_DATA, "data");
    limit(RLIMIT_SIGPENDING, SIGNALS);
    limit(RLIMIT_MSGQUEUE, rlim_t{0});
    limit(RLIMIT_CPU, run.cpu);
    limit(RLIMIT_FSIZE, run.output);
    limit(RLIMIT_NOFILE, "files");
    limit(RLIMIT_NPROC, "processes");
    umask(022);
    for (int number = 1; number < NSIG; ++number) signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    if (syscall(SYS_close_range, closed, ~0u, 4u /* CLOSE_RANGE_CLOEXEC */) != 0)
        for (int descriptor = static_cast<int>(closed); descriptor < 1024; ++descriptor)
            fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    for (; std::string(command[0]).find('=') < std::string(command[0]).find('/'); ++command)
        putenv(command[0]);
    const char* program = alone ? root::PROGRAM : command[0];
    const char* const given_path = command[0];
    std::string called = program;  // what it may open, and no path of ours
    command[0] = called.data();
    filter::Sole only{program, command, environ};
    filter::Sole* const sole = given.count("sole") ? &only : nullptr;
    const bool asking = given.count("answers") == 0, streams = given.count("streams") > 0;
    if (!filter::install(alone, asking, *asks, sole, streams) && getppid() == 1)
        fail("filtering system calls");
    for (int tries = 0; tries < 400; ++tries) {
        execve(program, command, environ);
        if (errno != ETXTBSY) break;  // another thread's fork may hold it open for a moment
        usleep(5000);
    }
    const int why = errno;
    if (access(program, X_OK) != 0) fail(given_path);
    dprintf(2, "the system cannot execute this program: %s\n", strerror(why));
    _exit(126);
}

void kill_everyone(pid_t main) {
    if (getpid() == 1) {
        kill(-1, SIGKILL);
        return;
    }
    kill(-main, SIGKILL);  // its group at once, so that none forks while others are killed
    for (const pid_t child : processes::children(getpid())) kill(child, SIGKILL);
}

// Reaps what has ended; whether anything is left. Sets `status` when it was `main`.
bool reap(pid_t main, int& status, bool& ended, Used& used) {
    for (;;) {
        int how;
        rusage its;  // and of those that it reaped itself
        const pid_t pid = wait4(-1, &how, WNOHANG | __WALL, &its);
        if (pid > 0 && WIFSTOPPED(how)) {
            holding::let_go(pid, how >> 8);
            continue;
        }
        if (pid == main) {
            status = how;
            ended = true;
        }
        if (pid == 0) return true;
        if (pid < 0) return errno != ECHILD;
        const double in_kernel = its.ru_stime.tv_sec + its.ru_stime.tv_usec * 1e-6;
        used.cpu += its.ru_utime.tv_sec + its.ru_utime.tv_usec * 1e-6 + in_kernel;
        used.in_kernel += in_kernel;
        used.peak = std::max(used.peak, its.ru_maxrss * 1024.0);
    }
}

// Waits; as long, it makes the calls that the program asks for.
void pause_for(double seconds, calls::Calls* calls = nullptr) {  // or until a child ends
    for (const double until = now() + seconds; seconds > 0; seconds = until - now()) {
        const timespec t{static_cast<time_t>(seconds),
                         static_cast<long>((seconds - static_cast<time_t>(seconds)) * 1e9)};
        const int asked = calls ? calls->listener() : -1;
        pollfd ready[2] = {{ended_children, POLLIN, 0}, {asked, POLLIN, 0}};
        if (ppoll(ready, 2, &t, nullptr) <= 0) return;
        signalfd_siginfo child;
        if (ready[0].revents && read(ended_children, &child, sizeof child) > 0) return;
        if (ready[1].revents & POLLIN) calls->answer();
        else if (ready[1].revents) calls = nullptr;  // nobody is left who could ask
    }
}

bool abandoned() {  // whoever wanted the report is gone, or wants it now
    pollfd reader{report, POLLRDHUP, 0};
    return poll(&reader, 1, 0) == 1;
}

// Memory that a run holds, as looked at now and then. What it wrote as its output, and left there,
// was asked for and does not count; what was there beyond it, was memory.
class Held {
  public:
    // Bytes of processes, and of what the kernel holds for them with that of its output.
    void look(double time, double in_processes, double in_kernel, double in_output) {
        const Look next{time, in_processes + in_kernel - in_output, in_output};
        if (looked && last_.in_output == 0 && in_output == 0) sum_ += area(last_, next, 0);
        else if (looked) beside_output_.push_back({last_, next});
        most_ = std::max(most_, next.bytes);
        last_ = next;
        looked = true;
    }

    void go_on(double time) { look(time, last_.bytes, last_.in_output, last_.in_output); }

    double now() const { return last_.bytes + last_.in_output; }

    double most(double asked) const {
        double found = most_;
        for (const auto& [before, after] : beside_output_)
            found = std::max({found, bytes(before, asked), bytes(after, asked)});
        return found;
    }

    double integral(double asked) const {
        double sum = sum_;
        for (const auto& [before, after] : beside_output_) sum += area(before, after, asked);
        return sum;
    }

    bool looked = false;

  private:
    struct Look {
        double time, bytes, in_output;
    };
    Look last_{0, 0, 0};
    double sum_ = 0, most_ = 0;
    std::vector<std::pair<Look, Look>> beside_output_;

    static double bytes(const Look& look, double asked) {
        return look.bytes + std::max(0.0, look.in_output - asked);
    }

    static double area(const Look& before, const Look& after, double asked) {  // a trapezoid
        return (bytes(before, asked) + bytes(after, asked)) / 2 * (after.time - before.time);
    }
};

// Waits for the end of a run that began with process `main`; whether all went well.
bool attend(pid_t main, const SharedRun& run, double started, root::Own& own,
            calls::Calls* calls) {
    const double memory = number("memory");
    const size_t crowd = static_cast<size_t>(number("crowd"));
    Used used;
    int status = 0;
    bool ended = false, late = false, too_large = false, crowded = false;
    Held held;
    double last = started, parting = 0, step = LOOK_FIRST;
    size_t left = 0;
    for (;;) {
        const bool any = reap(main, status, ended, used);
        const double time = now();
        const std::vector<pid_t> found = any ? processes::descendants() : std::vector<pid_t>();
        crowded = crowd > 0 && found.size() > crowd;
        if (crowded) {  // whose memory would take long to look up
            held.go_on(time);
        } else if (any) {
            const std::vector<processes::Memory> memories = processes::memories(found);
            const double in_processes = calls && calls->shared() > 0
                                            ? processes::resident_unshared(memories)
                                            : processes::resident(memories);
            const double in_program =
                alone ? processes::unmapped(memories, root::PROGRAM, double(base.program.size)) : 0;
            const double in_kernel = (calls ? calls->held() : 0) + own.held() + in_program;
            if (!held.looked) held.look(started, in_processes, in_kernel, own.in_output());
            held.look(time, in_processes, in_kernel, own.in_output());
        } else {
            held.go_on(time);
        }
        last = time;
        if (!any) break;
        too_large = memory > 0 && held.now() > memory;
        late = time - started > run.seconds;
        if (late || too_large || crowded || abandoned()) break;
        if (ended) {  // what it started may need a moment to end as well
            if (parting == 0) parting = time + PARTING;
            left = time > parting ? found.size() : 0;
            if (left > 0) break;
        }
        pause_for(std::max(step, LOOK_PAUSE * (now() - time)), calls);
        step = std::min(step * LOOK_GROWTH, LOOK_LAST);
    }
    if (crowded) dprintf(run.err, "killed: it had more than %zu processes\n", crowd);
    for (kill_everyone(main); reap(main, status, ended, used); kill_everyone(main)) {
        pause_for(0.002);
        if (now() - last > DYING) {
            dprintf(report, "stuck\n");
            _exit(126);
        }
    }
    const double peak = std::max(used.peak, held.most(own.in_output()));
    too_large = too_large || (memory > 0 && peak > memory);
    if (!own.hand_over(run.out, run.err)) fail("handing over what it wrote");
    dprintf(report, "ended %d %.9f %.6f %.6f %.0f %.3f %d %d %zu\n", status, last - started,
            used.cpu, used.in_kernel, peak, held.integral(own.in_output()), late, too_large, left);
    return status == 0 && !late && !too_large && left == 0;
}

// Starts the command, and goes on when it runs; its number.
pid_t start(char** command, const SharedRun& run) {
    *asks = -1;
    const bool talks = given.count("answers");
    // Until it runs it shares our descriptors, for ours is where it can be asked for calls.
    const unsigned long flags = talks ? SIGCHLD : CLONE_VFORK | CLONE_FILES | SIGCHLD;
    const pid_t main = static_cast<pid_t>(syscall(SYS_clone, flags, 0, 0, 0, 0));
    if (main < 0) fail("starting a process");
    if (main == 0) execute(command, run);
    if (talks) {  // so that their ends are seen when the command closes them
        close(run.in);
        close(static_cast<int>(number("answers")));
    }
    return main;
}

// Starts a command that shares what there is with others, or is alone in what was made for it, and
// waits for its end.
bool carry_out(char** command, const SharedRun& run, root::Own& own, pid_t* expected = nullptr) {
    const double started = now();
    SharedRun its = run;
    if (own.out >= 0) its.in = own.in, its.out = own.out, its.err = own.err;
    const pid_t main = start(command, its);
    std::unique_ptr<calls::Calls> calls;
    if (*asks >= 0)
        calls = std::make_unique<calls::Calls>(*asks, own, its.err, processors(), number("memory"),
                                               alone);
    if (expected && *expected > 0 && main != *expected) {
        dprintf(report, "traces\n");
        kill(main, SIGKILL);
        return false;
    }
    if (expected) *expected = main + 1;
    return attend(main, run, started, own, calls.get());
}

// A run in namespaces of its own; whether all went well.
bool carry_out_alone(char** command, const SharedRun& run) {
    const unsigned long flags = CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWIPC | SIGCHLD;
    const pid_t one = static_cast<pid_t>(syscall(SYS_clone, flags, 0, 0, 0, 0));
    if (one < 0) fail("making namespaces for a run");
    if (one > 0) {
        int status;
        while (waitpid(one, &status, 0) < 0)
            if (errno != EINTR) fail("waiting for a run");
        return WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    base.forget_what_was_used();
    root::Own own;
    const unsigned long long room = strtoull(given["scratch"].c_str(), nullptr, 10) + run.output;
    if (const char* failed = own.enter(base.program, run.in, room)) fail(failed);
    if (const char* failed = base.renew()) fail(failed);
    _exit(carry_out(command, run, own) ? 0 : 1);
}

SharedRun parsed(const std::string& text) {
    SharedRun run;
    if (sscanf(text.c_str(), "%d,%d,%d,%lf,%llu,%llu", &run.in, &run.out, &run.err,
               &run.seconds, &run.cpu, &run.output) != 6)
        fail("reading a run");
    return run;
}

}  // namespace

int main(int argc, char** argv) {
    int at = 1;
    report = atoi(argv[at++]);
    std::vector<SharedRun> runs;
    for (; at < argc && strcmp(argv[at], "--") != 0; ++at) {
        const std::string pair = argv[at];
        const size_t split = pair.find('=');
        const std::string key = pair.substr(0, split), value = pair.substr(split + 1);
        if (key == "run") runs.push_back(parsed(value));
        else if (key == "copy") libraries.push_back(value);
        else given[key] = value;
    }
    if (at + 1 >= argc) return 2;
    char** command = argv + at + 1;
    fcntl(report, F_SETFD, FD_CLOEXEC);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_DUMPABLE, 0);  // nothing inside may trace it or open its descriptors
    signal(SIGCHLD, SIG_DFL);
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, nullptr);
    ended_children = signalfd(-1, &child, SFD_NONBLOCK | SFD_CLOEXEC);
    void* shared =
        mmap(nullptr, sizeof *asks, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (ended_children < 0 || shared == MAP_FAILED || processes::proc() < 0) fail("preparing");
    asks = static_cast<int*>(shared);

    if ((alone = given.count("program"))) {
        if (const char* failed = base.enter(given["program"], libraries, command)) fail(failed);
        dprintf(report, "started\n");
        for (const SharedRun& run : runs)
            if (!carry_out_alone(command, run)) return 0;
        return 0;
    }
    if (getpid() == 1) root::protect_devices();
    root::Own own;
    own.files = open(".", O_DIRECTORY | O_RDONLY | O_CLOEXEC);
    std::vector<std::string> watched;
    if (runs.size() > 1) {
        watched = folders::from(".");
        for (const std::string& shared : folders::from("/dev/shm")) watched.push_back(shared);
    }
    const std::vector<long> before = folders::times(watched);
    folders::settle(watched);
    pid_t expected = 0;
    dprintf(report, "started\n");
    for (const SharedRun& run : runs) {
        if (expected > 0 && folders::times(watched) != before) {
            dprintf(report, "traces\n");
            break;
        }
        if (!carry_out(command, run, own, &expected)) break;
    }
    return 0;
}
