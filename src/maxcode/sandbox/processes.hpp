// The processes that come of one, as /proc tells.

#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <dirent.h>
#include <string>
#include <sys/types.h>
#include <unistd.h>
#include <vector>

namespace processes {

inline std::vector<pid_t> children(pid_t pid) {  // those of all its threads
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

inline std::vector<pid_t> descendants() {
    std::vector<pid_t> found = children(getpid());
    for (size_t at = 0; at < found.size(); ++at)
        for (const pid_t child : children(found[at]))
            if (std::find(found.begin(), found.end(), child) == found.end()) found.push_back(child);
    return found;
}

inline double resident(const std::vector<pid_t>& processes) {  // bytes
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

}  // namespace processes
