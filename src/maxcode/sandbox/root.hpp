// File systems for runs that are alone. What is the same for all runs of a launch, the libraries
// above all, lies in one that is read-only and wholly in memory: none of it can be changed, and all
// of it is there whatever was used. The program, its standard input, its outputs and the folder
// that it may write to lie in another, made for each run, so that neither contents nor times nor
// numbers of files nor what of them is in memory tell of another run. There is no /proc, whose
// files share a counter of numbers with all of the machine; a folder of that name holds what
// programs ask it most often.

#pragma once

#include "folders.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <string>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>
#include <vector>

#if defined __x86_64__
#include <immintrin.h>
#endif

namespace root {

const char PROGRAM[] = "/own/program";
constexpr int FILES = 16384, PIPES = 64;           // the most of each at a time
constexpr double OF_FILE = 1024, OF_PIPE = 65536;  // bytes of the kernel's, besides a file's pages
constexpr unsigned long FLAGS = MS_NOSUID | MS_NODEV | MS_NOATIME;

struct Mapped {
    const char* bytes = nullptr;
    size_t size = 0;
};

inline bool map(const std::string& path, Mapped& found) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat facts;
    if (file < 0 || fstat(file, &facts) != 0) return false;
    const size_t size = static_cast<size_t>(facts.st_size);
    void* bytes =
        size ? mmap(nullptr, size, PROT_READ, MAP_SHARED | MAP_POPULATE, file, 0) : nullptr;
    close(file);
    if (bytes == MAP_FAILED) return false;
    found = {static_cast<const char*>(bytes), size};
    return true;
}

inline bool make_folders(const std::string& path) {  // all above the last slash
    for (size_t at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1))
        if (mkdir(path.substr(0, at).c_str(), 0755) && errno != EEXIST) return false;
    return true;
}

inline bool write_file(const std::string& path, const char* bytes, size_t size, mode_t mode) {
    const int file = open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, mode);
    if (file < 0) return errno == EEXIST;
    bool all = true;
    for (size_t done = 0; all && done < size;) {
        const ssize_t wrote = write(file, bytes + done, size - done);
        all = wrote > 0;
        done += static_cast<size_t>(wrote);
    }
    close(file);
    return all;
}

inline bool copy(int from, int to) {
    struct stat facts;
    if (fstat(from, &facts) != 0) return false;
    for (off_t at = 0; at < facts.st_size;)
        if (sendfile(to, from, &at, static_cast<size_t>(facts.st_size - at)) <= 0) return false;
    return true;
}

// The files of a mount can be used as before, but nothing of them be changed, not even their times.
inline bool make_read_only(const char* path) {
    const unsigned long long attributes[4] = {1 /* MOUNT_ATTR_RDONLY: set it */, 0, 0, 0};
    if (syscall(442 /* mount_setattr */, AT_FDCWD, path, 0, attributes, sizeof attributes) == 0)
        return true;
    const unsigned long flags = MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NOEXEC;
    return mount(nullptr, path, nullptr, flags, nullptr) == 0;  // before Linux 5.12
}

// For runs that share what there is: nobody is to leave marks on the machine's devices.
inline void protect_devices() {
    if (unshare(CLONE_NEWNS)) return;
    for (const char* path : {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom",
                             "/dev/tty"})
        make_read_only(path);
}

// Puts bytes out of the processor's caches and back, so that they do not tell which of them a run
// has used: the next one could tell by how long it takes to read them.
inline void forget(const Mapped& bytes) {
#if defined __x86_64__
    for (size_t at = 0; at < bytes.size; at += 64) _mm_clflush(bytes.bytes + at);
    _mm_mfence();
    unsigned char sum = 0;
    for (size_t at = 0; at < bytes.size; at += 64)
        sum ^= static_cast<unsigned char>(bytes.bytes[at]);
    asm volatile("" : : "r"(sum));
#else
    (void)bytes;
#endif
}

// What the runs of a launch share.
class Base {
  public:
    Mapped program;

    // Becomes the root of a mount namespace of our own; null or what failed.
    const char* enter(const std::string& its, const std::vector<std::string>& libraries,
                      char** command) {
        if (!map(its, program)) return its.c_str();
        umask(0);
        if (unshare(CLONE_NEWNS) || mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr))
            return "making a mount namespace";
        if (mount("none", AT, "tmpfs", FLAGS, "mode=0755,huge=never") &&
            mount("none", AT, "tmpfs", FLAGS, "mode=0755"))
            return "mounting a file system";
        if (!tops()) return "making links";
        for (const std::string& path : libraries) {
            Mapped bytes;
            if (!map(path, bytes)) return path.c_str();
            const bool done = put(path, bytes.bytes, bytes.size, 0755);
            munmap(const_cast<char*>(bytes.bytes), bytes.size);
            if (!done || !map(AT + path, bytes)) return "copying a library";
            shared_.push_back(bytes);
        }
        const std::string environment = joined(environ), words = joined(command);
        if (!facts() || !put("/proc/self/cmdline", words.data(), words.size(), 0444) ||
            !put("/proc/self/environ", environment.data(), environment.size(), 0444) ||
            !make_folders(AT + std::string("/own/")) || !links())
            return "making files";
        made_ = folders::from(AT);
        for (const std::string& folder : std::vector<std::string>(made_)) add_files(folder);
        changeable_ = static_cast<int>(syscall(428 /* open_tree */, AT_FDCWD, AT, 1 /* a copy */));
        if (changeable_ < 0) return "keeping a way to its files";
        if (!devices()) return "binding devices";
        if (mount(nullptr, AT, nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY | FLAGS, nullptr))
            return "making a file system read-only";
        if (chdir(AT) || syscall(SYS_pivot_root, ".", ".") || umount2(".", MNT_DETACH) ||
            chdir("/"))
            return "entering a file system";
        if (const auto page = reinterpret_cast<const char*>(getauxval(AT_SYSINFO_EHDR)))
            shared_.push_back({page, 4096});
        return nullptr;
    }

    // Makes it look as if it was new: times would tell how long the runs before have taken.
    const char* renew() const {
        for (const std::string& path : made_) {
            const std::string here = "." + path.substr(strlen(AT));
            if (utimensat(changeable_, here.c_str(), nullptr, AT_SYMLINK_NOFOLLOW))
                return "setting the times of files";
        }
        return nullptr;
    }

    void forget_what_was_used() const {
        for (const Mapped& one : shared_) forget(one);
    }

  private:
    static constexpr char AT[] = "/tmp";  // where it is made
    std::vector<Mapped> shared_;
    std::vector<std::string> made_;  // all files and folders, but those of devices
    int changeable_ = -1;            // its folder, where it is not read-only

    void add_files(const std::string& path) {
        DIR* folder = opendir(path.c_str());
        while (const dirent* entry = folder ? readdir(folder) : nullptr)
            if (entry->d_type != DT_DIR) made_.push_back(path + "/" + entry->d_name);
        if (folder) closedir(folder);
    }

    static bool put(const std::string& path, const char* bytes, size_t size, mode_t mode) {
        return make_folders(AT + path) && write_file(AT + path, bytes, size, mode);
    }

    static bool tops() {  // links into /usr, where the system has them
        for (const std::string name : {"/bin", "/sbin", "/lib", "/lib32", "/lib64"}) {
            char to[256] = {};
            if (readlink(name.c_str(), to, sizeof to - 1) <= 0) continue;
            if (!make_folders(AT + std::string("/") + to + "/") ||
                symlink(to, (AT + name).c_str()))
                return false;
        }
        return true;
    }

    static std::string memory() {  // how much there is, not what of it is used
        char text[256];
        const long all = sysconf(_SC_PHYS_PAGES) * (sysconf(_SC_PAGESIZE) / 1024);
        snprintf(text, sizeof text, "MemTotal: %15ld kB\nMemFree: %16ld kB\nMemAvailable: %11ld kB\n",
                 all, all, all);
        return text;
    }

    static bool facts() {  // of the kernel, that do not change or not for a program
        for (const char* path :
             {"/proc/cpuinfo", "/proc/meminfo", "/proc/version", "/proc/filesystems",
              "/proc/sys/kernel/osrelease", "/proc/sys/kernel/pid_max",
              "/proc/sys/kernel/threads-max", "/proc/sys/vm/overcommit_memory",
              "/proc/sys/vm/max_map_count", "/sys/devices/system/cpu/online",
              "/sys/devices/system/cpu/possible", "/sys/kernel/mm/transparent_hugepage/enabled"}) {
            const int file = open(path, O_RDONLY | O_CLOEXEC);
            if (file < 0) continue;
            std::string text;
            char buffer[4096];
            for (ssize_t got; (got = read(file, buffer, sizeof buffer)) > 0;)
                text.append(buffer, static_cast<size_t>(got));
            close(file);
            if (strcmp(path, "/proc/meminfo") == 0) text = memory();
            if (!put(path, text.data(), text.size(), 0444)) return false;
        }
        return true;
    }

    static bool links() {
        const std::pair<const char*, const char*> all[] = {
            {"/own/tmp", "/tmp"},           {"/own/shm", "/dev/shm"},
            {"/own/stdin", "/dev/stdin"},   {"/own/stdout", "/dev/stdout"},
            {"/own/stderr", "/dev/stderr"}, {"/dev/stdin", "/dev/fd/0"},
            {"/dev/stdout", "/dev/fd/1"},   {"/dev/stderr", "/dev/fd/2"},
            {"/dev/fd", "/proc/self/fd"},   {PROGRAM, "/proc/self/exe"},
            {"/proc/self", "/proc/2"}};
        if (!make_folders(AT + std::string("/proc/self/task/2/"))) return false;
        for (const auto& one : all) {
            const std::string name = std::string(AT) + one.second;
            if (!make_folders(name) || symlink(one.first, name.c_str())) return false;
        }
        return true;
    }

    static bool devices() {
        for (const std::string path : {"/dev/null", "/dev/zero", "/dev/full", "/dev/random",
                                       "/dev/urandom"}) {
            const std::string here = AT + path;
            // What is mapped of zeros would be memory like any other, so what has zeros to read, but
            // cannot be mapped, stands in for them.
            const char* its = path == "/dev/zero" ? "/dev/full" : path.c_str();
            if (!put(path, "", 0, 0666) || mount(its, here.c_str(), nullptr, MS_BIND, nullptr) ||
                !make_read_only(here.c_str()))
                return false;
        }
        return true;
    }

    static std::string joined(char** words) {
        std::string all;
        for (; *words; ++words) all.append(*words, strlen(*words) + 1);
        return all;
    }
};

// What is one run's.
class Own {
  public:
    int in = -1, out = -1, err = -1;  // the program's
    int files = -1, pipes = -1;       // folders for nameless ones

    // Makes it, in a mount namespace of the run's with a Base; null or what failed.
    const char* enter(const Mapped& program, int input, unsigned long long room) {
        const std::string options = "mode=0755,size=" + std::to_string(room + program.size) +
                                    ",nr_inodes=" + std::to_string(FILES);
        if (mount("none", "/own", "tmpfs", FLAGS, options.c_str())) return "mounting its folder";
        if (!write_file(PROGRAM, program.bytes, program.size, 0755)) return "copying a program";
        for (const char* path : {"/own/tmp", "/own/shm"})
            if (mkdir(path, 01777)) return "making its folders";
        const int given = open("/own/stdin", O_CREAT | O_WRONLY | O_CLOEXEC, 0444);
        if (given < 0 || !copy(input, given)) return "copying its input";
        close(given);
        in = open("/own/stdin", O_RDONLY | O_CLOEXEC);
        out = output("/own/stdout", written_[0]);
        err = output("/own/stderr", written_[1]);
        files = open("/own", O_DIRECTORY | O_RDONLY | O_CLOEXEC);
        if (in < 0 || out < 0 || err < 0 || files < 0 || chdir("/own/tmp"))
            return "opening its files";
        at_first_ = taken(files, OF_FILE);
        return nullptr;
    }

    // The folder for pipes: they are counted in a file system of their own, which is nowhere.
    int pipes_folder() {
        if (pipes >= 0) return pipes;
        const std::string most = std::to_string(PIPES + 1);
        const int made = static_cast<int>(syscall(SYS_fsopen, "tmpfs", 1 /* FSOPEN_CLOEXEC */));
        const auto set = [&](int how, const char* key, const char* value) {
            return syscall(SYS_fsconfig, made, how, key, value, 0) == 0;
        };
        if (made >= 0 && set(1 /* FSCONFIG_SET_STRING */, "nr_inodes", most.c_str()) &&
            set(1, "size", "4096") && set(6 /* FSCONFIG_CMD_CREATE */, nullptr, nullptr))
            pipes = static_cast<int>(syscall(SYS_fsmount, made, 1 /* FSMOUNT_CLOEXEC */, 0));
        close(made);
        return pipes;
    }

    // Bytes that its files and pipes take, its output among them.
    double held() const {
        if (in < 0) return 0;  // it shares its folder with other runs
        const double in_pipes = pipes < 0 ? 0 : taken(pipes, OF_PIPE) - OF_PIPE;
        return taken(files, OF_FILE) - at_first_ + in_pipes;
    }

    // Bytes of those that its output takes, which is checked; its complaints are not.
    double in_output() const {
        struct stat facts;
        if (written_[0] < 0 || fstat(written_[0], &facts) != 0) return 0;
        return static_cast<double>(facts.st_blocks) * 512;
    }

    // Copies what was written to where it is wanted.
    bool hand_over(int to_out, int to_err) const {
        return in < 0 || (copy(written_[0], to_out) && copy(written_[1], to_err));
    }

  private:
    double at_first_ = 0;
    int written_[2] = {-1, -1};  // its outputs, for us to read

    static double taken(int folder, double of_each) {
        struct statfs facts;
        if (fstatfs(folder, &facts)) return 0;
        return static_cast<double>(facts.f_blocks - facts.f_bfree) *
                   static_cast<double>(facts.f_bsize) +
               static_cast<double>(facts.f_files - facts.f_ffree) * of_each;
    }

    static int output(const char* path, int& reading) {  // to write at its end
        const int made = open(path, O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0666);
        reading = open(path, O_RDONLY | O_CLOEXEC);
        return reading < 0 ? -1 : made;
    }
};

}  // namespace root
