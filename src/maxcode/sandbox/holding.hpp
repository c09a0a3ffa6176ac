// Holds threads of a program still, as a debugger would: nothing inside can let them go on.

#pragma once

#include "processes.hpp"

#include <algorithm>
#include <csignal>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace holding {

constexpr unsigned PAUSE = 50;               // microseconds between looks whether a thread stopped
constexpr int FEW = 200, MANY = 100 * FEW;  // some 20 ms, and 2 s

// Lets a thread go on, with the signal before which it was stopped.
inline void let_go(pid_t thread, int stop) {
    const long signal = stop >> 8 ? 0 : stop;
    ptrace(PTRACE_DETACH, thread, nullptr, reinterpret_cast<void*>(signal));
}

// Whether a held thread stops; `stop` says why. It stays so until it is let go.
inline bool stops(pid_t thread, int& stop, int looks) {
    siginfo_t how{};
    for (int look = 0; look < looks; ++look, usleep(PAUSE)) {
        if (waitid(P_PID, static_cast<id_t>(thread), &how, WSTOPPED | WNOHANG | WNOWAIT | __WALL))
            return false;  // it is gone
        stop = how.si_status;
        if (how.si_pid != 0) return true;
    }
    return false;
}

class Threads {
  public:
    // Holds all threads of a process but `caller`, which waits for the supervisor; false if one
    // cannot be held. The caller is held by `release`, as soon as its call is over.
    bool hold(pid_t process, pid_t caller) {
        for (bool more = true; more;) {  // threads may make threads until they are held
            more = false;
            for (const pid_t place : processes::threads(process)) {
                const pid_t thread = processes::inner(place);
                if (thread == caller || holds(thread)) continue;
                more = true;
                int stop;
                if (!seize(thread)) return false;
                ptrace(PTRACE_INTERRUPT, thread, nullptr, nullptr);
                if (!stops(thread, stop, FEW)) return false;
            }
        }
        caller_ = caller;
        return seize(caller);
    }

    // Lets them go on, once the caller's call is over. A thread that has not stopped yet is let go
    // by who reaps it.
    void release() {
        int stop;
        if (holds(caller_) && ptrace(PTRACE_INTERRUPT, caller_, nullptr, nullptr) == 0 &&
            !stops(caller_, stop, MANY))
            kill(caller_, SIGKILL);
        for (const pid_t thread : held_)
            if (stops(thread, stop, 1)) let_go(thread, stop);
        held_.clear();
    }

  private:
    pid_t caller_ = 0;
    std::vector<pid_t> held_;

    bool holds(pid_t thread) const {
        return std::find(held_.begin(), held_.end(), thread) != held_.end();
    }

    bool seize(pid_t thread) {
        if (ptrace(PTRACE_SEIZE, thread, nullptr, nullptr) != 0) return false;
        held_.push_back(thread);
        return true;
    }
};

}  // namespace holding
