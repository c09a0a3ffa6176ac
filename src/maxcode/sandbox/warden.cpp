// The warden: starts one program, holds it to its limits, waits for all that comes of it, and
// reports what it used. Isolation is the caller's business; as process 1 of a process namespace it
// is also the one that nothing inside can kill.
//
//   warden REPORT KEY=VALUE... -- COMMAND...
//
// REPORT is a pipe; a line is written to it at first and one in the end, and when nobody reads it
// any more all is over. Keys: seconds, memory (bytes, of all processes together), address_space
// (bytes, of each), cpu (seconds), output (bytes of a file), crowd (processes, counted here),
// processes (and threads, counted by Linux for the user), files, uid (for the command), processors
// (a list as in 0,2), stdin (a path).

#include "filter.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <map>
#include <poll.h>
#include <sched.h>
#include <string>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {

const double LOOK_FIRST = 0.0005, LOOK_LAST = 0.01;  // seconds between looks at the processes
const double LOOK_GROWTH = 1.1;                      // so about a tenth of the time so far
const double PARTING = 0.05;  // seconds that children may take to end after their parent
const double DYING = 10;      // seconds that the killed may take to be gone

std::map<std::string, std::string> given;
int report;

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

void limit(__rlimit_resource kind, const char* key) {
    if (!given.count(key)) return;
    rlim_t most = strtoull(given[key].c_str(), nullptr, 10);
    rlimit old;
    getrlimit(kind, &old);
    if (old.rlim_max != RLIM_INFINITY && old.rlim_max < most) most = old.rlim_max;
    const rlimit wanted{most, most};
    if (setrlimit(kind, &wanted) != 0) fail(key);
}

void become(uid_t uid) {  // loses every capability on the way
    if (setgroups(0, nullptr) || setresgid(uid, uid, uid) || setresuid(uid, uid, uid))
        fail("changing the user");
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    const __user_cap_data_struct none[2] = {};  // not even those that wait to be inherited
    if (syscall(SYS_capset, &header, none) != 0) fail("losing capabilities");
}

void stay_on(const std::string& list) {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (size_t at = 0; at < list.size(); at = list.find(',', at) + 1) {
        CPU_SET(atoi(list.c_str() + at), &set);
        if (list.find(',', at) == std::string::npos) break;
    }
    if (sched_setaffinity(0, sizeof set, &set) != 0) fail("pinning to processors");
}

[[noreturn]] void run(char** command) {
    setpgid(0, 0);
    const char* input = given.count("stdin") ? given["stdin"].c_str() : "/dev/null";
    const int in = open(input, O_RDONLY);
    if (in < 0 || dup2(in, 0) < 0) fail("opening standard input");
    if (given.count("uid")) become(static_cast<uid_t>(number("uid")));
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // after `become`, which unsets it
    if (given.count("processors")) stay_on(given["processors"]);
    given["core"] = "1";  // the one value that also keeps the system's crash reporter away
    limit(RLIMIT_CORE, "core");
    limit(RLIMIT_AS, "address_space");
    limit(RLIMIT_CPU, "cpu");
    limit(RLIMIT_FSIZE, "output");
    limit(RLIMIT_NOFILE, "files");
    limit(RLIMIT_NPROC, "processes");
    umask(022);
    for (int number = 1; number < NSIG; ++number) signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    if (syscall(SYS_close_range, 3u, ~0u, 4u /* CLOSE_RANGE_CLOEXEC */) != 0)
        for (int descriptor = 3; descriptor < 1024; ++descriptor)
            fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    if (!filter::install() && getppid() == 1) fail("filtering system calls");
    for (int tries = 0; tries < 400; ++tries) {
        execv(command[0], command);
        if (errno != ETXTBSY) break;  // another thread's fork may hold it open for a moment
        usleep(5000);
    }
    const int why = errno;
    if (access(command[0], X_OK) != 0) fail(command[0]);
    dprintf(2, "the system cannot execute this program: %s\n", strerror(why));
    _exit(126);
}

std::vector<pid_t> children(pid_t pid) {  // those of all its threads
    std::vector<pid_t> found;
    const std::string tasks = "/proc/" + std::to_string(pid) + "/task/";
    DIR* folder = opendir(tasks.c_str());
    if (!folder) return found;
    while (const dirent* task = readdir(folder)) {
        FILE* file = fopen((tasks + task->d_name + "/children").c_str(), "r");
        if (!file) continue;
        for (int child; fscanf(file, "%d", &child) == 1;) found.push_back(child);
        fclose(file);
    }
    closedir(folder);
    return found;
}

std::vector<pid_t> descendants() {
    std::vector<pid_t> found = children(getpid());
    for (size_t at = 0; at < found.size(); ++at)
        for (const pid_t child : children(found[at]))
            if (std::find(found.begin(), found.end(), child) == found.end()) found.push_back(child);
    return found;
}

double resident(const std::vector<pid_t>& processes) {  // bytes
    long sum = 0;
    for (const pid_t pid : processes) {
        FILE* file = fopen(("/proc/" + std::to_string(pid) + "/statm").c_str(), "r");
        if (!file) continue;
        long all, pages;
        if (fscanf(file, "%ld %ld", &all, &pages) == 2) sum += pages;
        fclose(file);
    }
    return static_cast<double>(sum) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

void kill_everyone(pid_t main) {
    if (getpid() == 1) {
        kill(-1, SIGKILL);
        return;
    }
    kill(-main, SIGKILL);  // its group at once, so that none forks while others are killed
    for (const pid_t child : children(getpid())) kill(child, SIGKILL);
}

// Reaps what has ended; whether anything is left. Sets `status` when it was `main`.
bool reap(pid_t main, int& status, bool& ended) {
    for (;;) {
        int how;
        const pid_t pid = waitpid(-1, &how, WNOHANG | __WALL);
        if (pid == main) {
            status = how;
            ended = true;
        }
        if (pid == 0) return true;
        if (pid < 0) return errno != ECHILD;
    }
}

void pause_for(double seconds) {  // or until a child ends
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    const timespec t{static_cast<time_t>(seconds),
                     static_cast<long>((seconds - static_cast<time_t>(seconds)) * 1e9)};
    sigtimedwait(&child, nullptr, &t);
}

bool abandoned() {  // whoever wanted the report is gone, or wants it no more
    pollfd reader{report, 0, 0};
    return poll(&reader, 1, 0) == 1;
}

}  // namespace

int main(int argc, char** argv) {
    int at = 1;
    report = atoi(argv[at++]);
    for (; at < argc && strcmp(argv[at], "--") != 0; ++at) {
        const std::string pair = argv[at];
        const size_t split = pair.find('=');
        given[pair.substr(0, split)] = pair.substr(split + 1);
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

    const double started = now(), seconds = number("seconds"), memory = number("memory");
    const size_t alone = given.count("address_space") ? 1 : 0;  // one process has that limit
    const size_t crowd = static_cast<size_t>(number("crowd"));
    dprintf(report, "started\n");
    const pid_t main = fork();
    if (main < 0) fail("starting a process");
    if (main == 0) run(command);

    int status = 0;
    bool ended = false, late = false, too_large = false, crowded = false;
    double integral = 0, held = 0, most = 0, last = started, parting = 0, step = LOOK_FIRST;
    size_t left = 0;
    for (;;) {
        const bool any = reap(main, status, ended);
        const double time = now();
        integral += held * (time - last);
        last = time;
        if (!any) break;
        const std::vector<pid_t> processes = descendants();
        held = resident(processes);
        if (processes.size() > 1) most = std::max(most, held);  // Linux knows that of a single one
        too_large = memory > 0 && processes.size() > alone && held > memory;
        crowded = crowd > 0 && processes.size() > crowd;
        late = time - started > seconds;
        if (late || too_large || crowded || abandoned()) break;
        if (ended) {  // what it started may need a moment to end as well
            if (parting == 0) parting = time + PARTING;
            left = time > parting ? processes.size() : 0;
            if (left > 0) break;
        }
        pause_for(step);
        step = std::min(step * LOOK_GROWTH, LOOK_LAST);
    }
    if (crowded) dprintf(2, "killed: it had more than %zu processes\n", crowd);
    for (kill_everyone(main); reap(main, status, ended); kill_everyone(main)) {
        pause_for(0.002);
        if (now() - last > DYING) {
            dprintf(report, "stuck\n");
            _exit(126);
        }
    }
    rusage used;
    getrusage(RUSAGE_CHILDREN, &used);
    const double cpu = used.ru_utime.tv_sec + used.ru_stime.tv_sec +
                       (used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6;
    dprintf(report, "ended %d %.9f %.6f %.0f %.3f %d %d %zu\n", status, last - started, cpu,
            std::max(used.ru_maxrss * 1024.0, most), integral, late, too_large,
            left);
    return 0;
}
