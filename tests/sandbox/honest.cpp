// What honest programs do, each under its name; prints those that do not work here. With "hold" it
// keeps what its second argument names: 32 MB, or all that there may be.
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iostream>
#include <locale>
#include <poll.h>
#include <sched.h>
#include <string>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

static std::atomic<int> ended;
static void count(int) { ended++; }

static long in_parallel() {
    long sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 1000; i++) sum += i;
    return sum;
}

static int deep(int left) {
    volatile char frame[100] = {};
    return left ? deep(left - 1) + frame[left % 100] : 1;
}

template <class What> static void attempt(const char* name, What what) {
    errno = 0;
    if (!what()) printf("%s: %s\n", name, strerror(errno));
    fflush(stdout);
}

static bool processes() {
    struct sigaction action {}, told {};
    action.sa_handler = count;
    if (sigaction(SIGCHLD, &action, nullptr) || sigaction(SIGCHLD, nullptr, &told)) return false;
    ended = 0;
    const pid_t child = fork();
    if (child == 0) _exit(0);
    for (int i = 0; i < 2000 && !ended; i++) usleep(1000);
    int status;
    return waitpid(child, &status, 0) == child && ended == 1 && told.sa_handler == count;
}

// Beside threads that wait, and one that computes; by the first thread, or by another.
static bool processes_of_threads() {
    static std::atomic<bool> over;
    std::vector<std::thread> threads;
    threads.emplace_back([] {
        while (!over) {}
    });
    for (int i = 0; i < 5; i++) threads.emplace_back([] {
        while (!over) usleep(500);
    });
    bool fine = signal(SIGCHLD, SIG_DFL) != SIG_ERR && processes(), others = false;
    fine = signal(SIGCHLD, SIG_DFL) == count && fine;
    std::thread([&] { others = processes(); }).join();
    over = true;
    for (std::thread& one : threads) one.join();
    return fine && others;
}

static bool memory() {
    attempt("tmpfile", [] {
        FILE* file = tmpfile();
        const std::string part(1 << 20, 'x');
        for (int i = 0; file && i < 20; i++)
            if (fwrite(part.data(), 1, part.size(), file) != part.size()) return false;
        return file && fclose(file) == 0;
    });
    attempt("memfd_create", [] {
        const int file = memfd_create("x", MFD_CLOEXEC);
        if (file < 0 || ftruncate(file, 1 << 20)) return false;
        void* bytes = mmap(nullptr, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        return bytes != MAP_FAILED && memset(bytes, 1, 1 << 20);
    });
    attempt("shm_open", [] {
        const int file = shm_open("/x", O_CREAT | O_RDWR, 0600);
        return file >= 0 && ftruncate(file, 4096) == 0 && shm_unlink("/x") == 0;
    });
    attempt("reserving", [] {
        const int how = MAP_PRIVATE | MAP_ANONYMOUS;
        return mmap(nullptr, 8ul << 30, PROT_NONE, how, -1, 0) != MAP_FAILED;
    });
    attempt("sorting", [] {
        std::vector<int> numbers(100'000);
        for (int& one : numbers) one = rand();
        const auto less = [](const void* a, const void* b) {
            return *static_cast<const int*>(a) - *static_cast<const int*>(b);
        };
        qsort(numbers.data(), numbers.size(), sizeof(int), less);
        return std::is_sorted(numbers.begin(), numbers.end());
    });
    attempt("input in memory", [] {
        struct stat facts {};
        fstat(0, &facts);
        const void* bytes = mmap(nullptr, size_t(facts.st_size), PROT_READ, MAP_PRIVATE, 0, 0);
        return bytes != MAP_FAILED && *static_cast<const char*>(bytes) == '5';
    });
    return deep(20'000) == 1;
}

static bool pipes() {
    signal(SIGPIPE, SIG_IGN);
    attempt("many pipes, one by one", [] {
        for (int i = 0; i < 300; i++) {
            int ends[2];
            char byte;
            if (pipe2(ends, O_CLOEXEC | O_NONBLOCK)) return false;
            if (read(ends[0], &byte, 1) != -1 || errno != EAGAIN) return false;
            close(ends[0]), close(ends[1]);
        }
        return true;
    });
    attempt("sockets", [] {
        int ends[2];
        char bytes[4];
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) return false;
        return write(ends[0], "abc", 3) == 3 && read(ends[1], bytes, 4) == 3;
    });
    attempt("a shell", [] {
        char said[8] = {};
        FILE* shell = popen("echo hi", "r");
        return fgets(said, 8, shell) && !strcmp(said, "hi\n") && pclose(shell) == 0;
    });
    int ends[2];
    char byte;
    if (pipe(ends)) return false;
    const pid_t child = fork();
    if (child == 0) _exit(write(ends[1], "x", 1) != 1);
    close(ends[1]);
    pollfd ready{ends[0], POLLIN, 0};
    if (poll(&ready, 1, 5000) != 1 || read(ends[0], &byte, 1) != 1) return false;
    int status;
    waitpid(child, &status, 0);
    if (read(ends[0], &byte, 1) != 0) return false;  // nobody writes any more
    close(ends[0]);
    return pipe(ends) == 0 && close(ends[0]) == 0 && write(ends[1], "x", 1) == -1 && errno == EPIPE;
}

static bool machine() {
    attempt("own processors", [] {
        cpu_set_t its;
        sched_getaffinity(0, sizeof its, &its);
        return sched_setaffinity(0, sizeof its, &its) == 0;
    });
    attempt("nice", [] { return nice(3) != -1 || errno == 0; });
    attempt("locale", [] {
        std::locale::global(std::locale(""));
        return true;
    });
    attempt("usage", [] {
        rusage used;
        return getrusage(RUSAGE_SELF, &used) == 0;
    });
    attempt("itself", [] {
        for (const std::string name : {"stat", "statm", "status", "maps", "cmdline", "environ"}) {
            std::ifstream file("/proc/self/" + name);
            std::string line;
            if (!std::getline(file, line) || line.empty()) return false;
        }
        return true;
    });
    return std::thread::hardware_concurrency() > 0 && sysconf(_SC_PHYS_PAGES) > 0;
}

static bool hundred_threads() {
    std::vector<std::thread> all;
    std::atomic<int> passed{0};
    for (int i = 0; i < 100; i++)
        all.emplace_back([&] {
            usleep(20'000);
            passed++;
        });
    for (std::thread& one : all) one.join();
    return passed == 100;
}

static int hold(const std::string& what) {
    const std::string part(1 << 20, 'x');
    int file = -1, kept = 0;
    if (what == "file") file = open("kept", O_CREAT | O_WRONLY, 0600);
    if (what == "nameless file") file = memfd_create("x", 0);
    if (what == "shared") file = shm_open("/x", O_CREAT | O_WRONLY, 0600);
    if (what == "complaints") file = 2;
    for (int i = 0; i < 32 && file >= 0; i++)
        kept += write(file, part.data(), part.size()) > 0;
    for (int ends[2]; what == "pipes" && pipe(ends) == 0;) {
        fcntl(ends[1], F_SETPIPE_SZ, 1 << 20);
        fcntl(ends[1], F_SETFL, O_NONBLOCK);
        while (write(ends[1], part.data(), 4096) > 0) kept += 4096;
    }
    const int kind = SOCK_STREAM | SOCK_NONBLOCK;
    for (int ends[2]; what == "sockets" && socketpair(AF_UNIX, kind, 0, ends) == 0;)
        for (const int end : ends)
            while (write(end, part.data(), 4096) > 0) kept += 4096;
    for (int i = 0; what == "names"; i++, kept += 200)
        if (open((std::string(200, 'n') + std::to_string(i)).c_str(), O_CREAT, 0600) < 0 ||
            close(3) != 0)
            break;
    if (what == "tables") {  // of four kilobytes for each page that is read
        const size_t size = 16ul << 30;
        volatile char* pages = static_cast<volatile char*>(mmap(
            nullptr, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
        for (size_t at = 0; at < size; at += 2 << 20) kept += 4096 + pages[at];
    }
    usleep(60'000);
    fprintf(stderr, "kept %d\n", kept);
    return 0;
}

int main(int words, char** word) {
    if (words > 2) return hold(word[2]);
    attempt("its own name", [&] { return access(word[0], X_OK) == 0; });
    attempt("threads", hundred_threads);
    attempt("children", processes);
    attempt("children of a program with threads", processes_of_threads);
    attempt("children that nobody waits for", [] {
        signal(SIGCHLD, SIG_IGN);
        return true;
    });
    attempt("memory", memory);
    attempt("pipes", pipes);
    attempt("machine", machine);
    attempt("openmp", [] { return in_parallel() == 499'500; });
    attempt("exceptions", [] {
        try {
            throw std::string("x");
        } catch (const std::string&) {
            return true;
        }
    });
    attempt("other handles on its output", [] {
        FILE* second = fopen("/dev/stdout", "a");
        if (!second || fputs("first\n", second) < 0 || fclose(second)) return false;
        std::ofstream third("/dev/fd/1", std::ios::app), fourth("/proc/self/fd/1", std::ios::app);
        third << "second\n" << std::flush;
        fourth << "third\n" << std::flush;
        return third.good() && fourth.good();
    });
    std::cerr << std::string(1 << 20, 'e') << '\n';
    std::cout << "fourth" << std::flush;  // no end of line
    quick_exit(0);
}
