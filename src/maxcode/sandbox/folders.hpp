// Folders, and whether anything was done to them.

#pragma once

#include <ctime>
#include <dirent.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace folders {

// A folder and all below it in the same file system.
inline void collect(const std::string& path, dev_t system, std::vector<std::string>& found) {
    struct stat facts;
    if (lstat(path.c_str(), &facts) != 0 || !S_ISDIR(facts.st_mode) || facts.st_dev != system)
        return;
    found.push_back(path);
    DIR* folder = opendir(path.c_str());
    if (!folder) return;
    while (const dirent* entry = readdir(folder)) {
        const std::string name = entry->d_name;
        if (name != "." && name != "..") collect(path + "/" + name, system, found);
    }
    closedir(folder);
}

inline std::vector<std::string> from(const std::string& path) {
    std::vector<std::string> found;
    struct stat facts;
    if (lstat(path.c_str(), &facts) == 0) collect(path, facts.st_dev, found);
    return found;
}

// What tells whether folders were changed: of these times, the last cannot be set at will.
inline std::vector<long> times(const std::vector<std::string>& folders) {
    std::vector<long> found;
    for (const std::string& folder : folders) {
        struct stat facts;
        if (lstat(folder.c_str(), &facts) != 0) continue;
        for (const timespec& time : {facts.st_atim, facts.st_ctim}) {
            found.push_back(time.tv_sec);
            found.push_back(time.tv_nsec);
        }
        found.push_back(static_cast<long>(facts.st_size));
        found.push_back(static_cast<long>(facts.st_nlink));
    }
    return found;
}

// Waits until a change would show: times of files have the resolution of a coarse clock.
inline void settle(const std::vector<std::string>& folders) {
    for (const std::string& folder : folders) {
        struct stat facts;
        timespec now;
        if (lstat(folder.c_str(), &facts) != 0) continue;
        do {
            clock_gettime(CLOCK_REALTIME_COARSE, &now);
            usleep(200);
        } while (now.tv_sec == facts.st_ctim.tv_sec && now.tv_nsec <= facts.st_ctim.tv_nsec);
    }
}

}  // namespace folders
