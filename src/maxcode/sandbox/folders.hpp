// Folders, and whether anything was done to them.

#pragma once

#include <algorithm>
#include <ctime>
#include <dirent.h>
#include <linux/magic.h>
#include <string>
#include <sys/stat.h>
#include <sys/statfs.h>
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

const double INODE = 1024;  // bytes of the kernel's for a file, its name and a folder's entry

// Bytes of memory that the files below these folders take, each file system counted once. Nothing
// where files are not kept in memory.
inline double in_memory(const std::vector<std::string>& folders) {
    std::vector<dev_t> seen;
    double bytes = 0;
    for (const std::string& folder : folders) {
        struct stat facts;
        struct statfs used;
        if (stat(folder.c_str(), &facts) != 0 || statfs(folder.c_str(), &used) != 0) continue;
        if (used.f_type != TMPFS_MAGIC) continue;
        if (std::find(seen.begin(), seen.end(), facts.st_dev) != seen.end()) continue;
        seen.push_back(facts.st_dev);
        bytes += static_cast<double>(used.f_blocks - used.f_bfree) *
                     static_cast<double>(used.f_bsize) +
                 static_cast<double>(used.f_files - used.f_ffree) * INODE;
    }
    return bytes;
}

inline double in_memory(int file) {  // bytes of one that is only in memory
    struct stat facts;
    return fstat(file, &facts) == 0 ? static_cast<double>(facts.st_blocks) * 512 : 0;
}

}  // namespace folders
