// Holds threads of a program still, as a debugger would: nothing inside can let them go on.

#pragma once

#include "processes.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace holding {

constexpr unsigned PAUSE = 50;         // microseconds between looks whether a thread stopped
constexpr double LONG = 0.5, END = 2;  // seconds for a thread to stop, and for a call to end

// Lets a thread go on, with the signal before which it was stopped.
inline void let_go(pid_t thread, int stop) {
    const long signal = stop >> 8 ? 0 : stop;
    ptrace(PTRACE_DETACH, thread, nullptr, reinterpret_cast<void*>(signal));
}

constexpr int ENDED = -1;

// Whether a held thread stops, or ends, in time; `stop` says why. It stays so until it is let go.
inline bool stops(pid_t thread, int& stop, double seconds) {
    siginfo_t how{};
    const int looked_for = WSTOPPED | WEXITED | WNOHANG | WNOWAIT | __WALL;
    for (double waited = 0; waited <= seconds; waited += 2e-6 * PAUSE, usleep(PAUSE)) {
        const bool gone = waitid(P_PID, static_cast<id_t>(thread), &how, looked_for) != 0;
        if (!gone && how.si_pid == 0) continue;
        stop = !gone && how.si_code == CLD_TRAPPED ? how.si_status : ENDED;
        return true;
    }
    return false;
}

class Threads {
  public:
    // Holds all threads of a process but `caller`, which waits for the supervisor; false if one
    // cannot be held. The caller is held by `release`, as soon as its call is over.
    bool hold(pid_t process, pid_t caller) {
        caller_ = caller;
        process_ = processes::inner(process);
        for (size_t known = 1; known > 0;) {  // threads may make threads until they are held
            known = held_.size();
            for (const pid_t place : processes::threads(process)) {
                const pid_t thread = processes::inner(place);
                if (thread == caller || holds(thread)) continue;
                if (!seize(thread) && errno != ESRCH) return false;
                ptrace(PTRACE_INTERRUPT, thread, nullptr, nullptr);
            }
            int stop;
            for (const pid_t thread : held_)
                if (!stops(thread, stop, LONG)) return false;
            known = held_.size() - known;
        }
        return seize(caller);
    }

    // Lets them go on, once the caller's call is over. A thread that has not stopped yet is let go
    // by who reaps it.
    void release() {
        int stop;
        if (holds(caller_) && ptrace(PTRACE_INTERRUPT, caller_, nullptr, nullptr) == 0 &&
            !stops(caller_, stop, END))
            kill(caller_, SIGKILL);
        siginfo_t how{};
        for (const pid_t thread : held_) {
            if (!stops(thread, stop, 0)) continue;
            if (stop != ENDED) let_go(thread, stop);
            else if (thread != process_)  // whose times are those of all its threads
                waitid(P_PID, static_cast<id_t>(thread), &how, WEXITED | WNOHANG | __WALL);
        }
        held_.clear();
    }

  private:
    pid_t process_ = 0, caller_ = 0;
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
