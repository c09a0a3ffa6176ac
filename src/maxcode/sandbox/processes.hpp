// The processes that come of this one, as /proc shows them: that of the process namespace in which
// the supervisor was started, where they have other numbers than in one of a run.

#pragma once

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <string>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>
#include <vector>

namespace processes {

inline int proc() {  // stays open when the run's file system has none
    static const int folder = open("/proc", O_DIRECTORY | O_RDONLY | O_CLOEXEC);
    return folder;
}

inline FILE* file(const std::string& place, const char* name) {
    const int opened = openat(proc(), (place + "/" + name).c_str(), O_RDONLY | O_CLOEXEC);
    return opened < 0 ? nullptr : fdopen(opened, "r");
}

inline FILE* file(pid_t pid, const char* name) { return file(std::to_string(pid), name); }

inline pid_t itself() {
    char text[16] = {};
    return readlinkat(proc(), "self", text, sizeof text - 1) > 0 ? atoi(text) : getpid();
}

inline std::vector<pid_t> threads(pid_t pid) {
    std::vector<pid_t> found;
    const std::string path = std::to_string(pid) + "/task";
    const int opened = openat(proc(), path.c_str(), O_DIRECTORY | O_RDONLY | O_CLOEXEC);
    DIR* folder = opened < 0 ? nullptr : fdopendir(opened);
    if (!folder) return found;
    while (const dirent* task = readdir(folder))
        if (*task->d_name != '.') found.push_back(atoi(task->d_name));
    closedir(folder);
    return found;
}

inline std::vector<pid_t> children(pid_t pid) {  // those of all its threads
    std::vector<pid_t> found;
    for (const pid_t thread : threads(pid)) {
        FILE* text = file(pid, ("task/" + std::to_string(thread) + "/children").c_str());
        if (!text) continue;
        for (int child; fscanf(text, "%d", &child) == 1;) found.push_back(child);
        fclose(text);
    }
    return found;
}

inline std::vector<pid_t> descendants() {
    std::vector<pid_t> found = children(itself());
    for (size_t at = 0; at < found.size(); ++at)
        for (const pid_t child : children(found[at]))
            if (std::find(found.begin(), found.end(), child) == found.end()) found.push_back(child);
    return found;
}

// Processes at the most that are looked at closely: to look waits for one that forks, and of very
// many that do no look would come to an end.
constexpr size_t FEW = 16;

// What a process holds, in bytes: its pages, and the tables of its address space; and its threads.
struct Memory {
    pid_t thread = 0;   // one that has it, by its number in the process namespace of its own
    std::string place;  // of that in /proc
    double pages = 0, tables = 0, threads = 1;

    // Tables of the pages that there are take a 512th of those. What is far beyond are pages
    // without memory of their own, in whose kinds a program could keep numbers.
    double beyond() const { return std::max(0.0, tables - OF_TABLES - pages / 256); }

    static constexpr double OF_TABLES = 1 << 20;
};

inline bool read_memory(const std::string& place, Memory& found) {
    FILE* text = file(place, "status");
    if (!text) return false;
    unsigned long kilobytes, count;
    char line[512];
    while (fgets(line, sizeof line, text)) {
        if (strncmp(line, "NSpid:", 6) == 0) {
            found.thread = atoi(strrchr(line, '\t') + 1);
        } else if (sscanf(line, "VmRSS: %lu kB", &kilobytes) == 1) {
            found.place = place;
            found.pages = static_cast<double>(kilobytes) * 1024;
        } else if (sscanf(line, "VmPTE: %lu kB", &kilobytes) == 1) {
            found.tables = static_cast<double>(kilobytes) * 1024;
        } else if (sscanf(line, "Threads: %lu", &count) == 1) {
            found.threads = static_cast<double>(count);
        }
    }
    fclose(text);
    return !found.place.empty();
}

// Whether it is one memory of both, as between `vfork` and the end of that.
inline bool is_one(const Memory& a, const Memory& b) {
    return a.pages == b.pages && a.tables == b.tables &&
           syscall(SYS_kcmp, a.thread, b.thread, 1 /* KCMP_VM */, 0, 0) == 0;
}

// Of each that has any of its own. The first thread of a process may have ended while others go on,
// which /proc does not show at its own place.
inline std::vector<Memory> memories(const std::vector<pid_t>& processes) {
    std::vector<Memory> all;
    const bool closely = processes.size() <= FEW;
    for (const pid_t pid : processes) {
        Memory found;
        const std::string own = std::to_string(pid);
        bool any = read_memory(own, found);
        if (!any)
            for (const pid_t thread : threads(pid))
                if ((any = read_memory(own + "/task/" + std::to_string(thread), found))) break;
        const auto same = [&](const Memory& other) { return is_one(other, found); };
        if (any && !(closely && std::any_of(all.begin(), all.end(), same))) all.push_back(found);
    }
    return all;
}

// All of them if they are few, else none: of those more is looked up, which takes longer.
inline const std::vector<Memory>& few(const std::vector<Memory>& all) {
    static const std::vector<Memory> none;
    return all.size() <= FEW ? all : none;
}

// Bytes of its pages, of which each that n processes have counts as an n-th; none if it is gone.
inline double proportional(const Memory& its) {
    errno = 0;
    FILE* text = file(its.place, "smaps_rollup");
    if (!text) return errno == EACCES || errno == EPERM ? its.pages : 0;
    double found = 0;
    unsigned long kilobytes;
    char line[512];
    while (fgets(line, sizeof line, text))
        if (sscanf(line, "Pss: %lu kB", &kilobytes) == 1)
            found = static_cast<double>(kilobytes) * 1024;
    fclose(text);
    return found;
}

// Bytes of all. What few of them share, as parents and children do until either writes, counts once;
// and however many come and go meanwhile, it is not less than the largest has. Each thread but one
// has a stack in the kernel, and registers there in which a program can keep numbers.
inline double resident(const std::vector<Memory>& all) {
    constexpr double OF_THREAD = 16 << 10;
    double sum = 0, largest = 0, tables = 0, threads = 0;
    for (const Memory& its : all) {
        threads += its.threads;
        sum += all.size() > 1 && all.size() <= FEW ? proportional(its) : its.pages;
        largest = std::max(largest, its.pages);
        tables += its.beyond();
    }
    return std::max(sum, largest) + tables + std::max(0.0, threads - 1) * OF_THREAD;
}

// Bytes of its pages in mappings of that name that are the file's own, which is slower to find out;
// by "Rss" or "Pss".
inline double resident_in(const Memory& its, const char* name, const char* measure) {
    FILE* text = file(its.place, "smaps");
    if (!text) return 0;
    double sum = 0;
    bool named = false;
    char line[4608];
    while (fgets(line, sizeof line, text)) {
        unsigned long from, to, kilobytes;
        int end = 0;
        if (sscanf(line, "%lx-%lx %*s %*s %*s %*s %n", &from, &to, &end) == 2 && end > 0) {
            line[strcspn(line, "\n")] = 0;
            named = strcmp(line + end, name) == 0;
        } else if (named && strncmp(line, measure, strlen(measure)) == 0 &&
                   sscanf(line + strlen(measure), ": %lu kB", &kilobytes) == 1) {
            sum += static_cast<double>(kilobytes) * 1024;
        } else if (named && sscanf(line, "Anonymous: %lu kB", &kilobytes) == 1) {  // were written to
            sum -= static_cast<double>(kilobytes) * 1024;
        }
    }
    fclose(text);
    return std::max(0.0, sum);
}

// The same as `resident` without what of it is in shared anonymous mappings.
inline double resident_unshared(const std::vector<Memory>& all) {
    const char* measure = all.size() > 1 ? "Pss" : "Rss";
    double shared = 0;
    for (const Memory& its : few(all))
        shared += resident_in(its, "/dev/zero (deleted)", measure);
    return std::max(0.0, resident(all) - shared);
}

// Bytes of a program of that size that no process has among its pages, from where it can be read
// as from memory all the same. Little of it counts as nothing.
inline double unmapped(const std::vector<Memory>& all, const char* program, double size) {
    constexpr double LITTLE = 256 << 10;
    if (size <= LITTLE) return 0;
    double most = 0;
    for (const Memory& its : few(all))
        most = std::max(most, resident_in(its, program, "Rss"));
    return std::max(0.0, size - LITTLE - most);
}

// The number that it has in the process namespace of its own.
inline pid_t inner(pid_t pid) {
    Memory its;
    read_memory(std::to_string(pid), its);
    return its.thread;
}

// Whether those bytes of its memory are its own: of no file and shared with no process, unless of
// its program, which nobody can change.
inline bool owns(pid_t pid, unsigned long first, size_t size, const char* program) {
    FILE* text = file(pid, "maps");
    if (!text) return false;
    bool found = false;
    char line[4608];
    while (!found && fgets(line, sizeof line, text)) {
        unsigned long from, to, inode;
        char kind;
        int end = 0;
        const char* row = "%lx-%lx %*c%*c%*c%c %*s %*s %lu %n";
        if (sscanf(line, row, &from, &to, &kind, &inode, &end) != 4) continue;
        line[strcspn(line, "\n")] = 0;
        found = from <= first && first + size <= to && kind == 'p' &&
                (inode == 0 || strcmp(line + end, program) == 0);
    }
    fclose(text);
    return found;
}

// What /proc says of a process that concerns nobody else: memory, and what it is called.
inline std::string of_itself(pid_t pid, const char* name) {
    std::string shown;
    FILE* text = file(pid, name);
    if (!text) return shown;
    char line[4608];
    while (fgets(line, sizeof line, text)) {
        char range[64], access[8], offset[24];
        int end = 0;
        if (strcmp(name, "maps") == 0) {  // without the numbers of devices and files
            if (sscanf(line, "%63s %7s %23s %*s %*s%n", range, access, offset, &end) != 3) continue;
            shown += std::string(range) + " " + access + " " + offset + " 00:00 0" + (line + end);
        } else if (strcmp(name, "status") == 0) {
            for (const char* kind : {"Name:", "State:", "Vm", "Rss", "Threads:"})
                if (strncmp(line, kind, strlen(kind)) == 0) shown += line;
        } else if (strcmp(name, "stat") == 0) {  // process numbers as in the program's namespace
            const char* called = strchr(line, ' ');
            const char* rest = strrchr(line, ')');
            if (!called || !rest) break;
            shown = std::to_string(inner(pid)) + std::string(called, rest + 1 - called);
            int field = 3;
            for (const char* at = rest + 2; *at && *at != '\n'; ++field) {
                const char* next = at + strcspn(at, " \n");
                // state, faults, times, threads, sizes
                const bool its = field == 3 || (field >= 10 && field <= 20 && field != 18) ||
                                 field == 23 || field == 24;
                shown += " " + (its ? std::string(at, next) : std::string("0"));
                at = next + (*next == ' ');
            }
            shown += "\n";
        } else {
            shown += line;
        }
    }
    fclose(text);
    return shown;
}

}  // namespace processes
