// Feeds a worker its calls one by one, holds the clock, and fetches what each call returned.
//
// It runs outside of the sandbox. The worker gets the inputs of a call in a file that both share,
// when all that it may prepare is done, and learns by a byte in a pipe that they are there. The
// clock runs from before that byte until the worker's report has been read, and what the report
// points at is copied out of the worker's memory at once. What was not there then was not done in
// time; what came sooner had no inputs.
//
// Then results are overwritten, as a caller may, each by a word of its own: who returns the same
// memory again has to write all of it again, and memory that is reached by two outputs or as an
// input shows. In the end the worker lets go of them.
//
// Standard input: a line of the worker's process, the descriptors of the files with the inputs of
// all calls, of the shared one and of the one for results, where in the shared file inputs belong,
// where in the file for results those begin, the bytes of them from one call to the next, whether
// inputs are to be compared afterwards, and a list of processors (or "-"). A line of the sizes of tensors that a call returns, one of which of those
// are overwritten (1, else 0), then for each call a line of where its inputs begin, how many bytes
// they are, a message to the worker, and a description of inputs of another form. Arguments: the two pipes.
//
// On a GPU inputs and outputs stay there, in memory that the worker shares with the process of the
// reference, which is the server then: it brings inputs there and empties caches before a call, and
// fetches outputs after it. Three more arguments are the server's pipes and its process. Outputs
// must lie in a place that the worker learns of only after the call, and that takes part in the
// clock: a call that is said to be done before it is ends later there.
//
// Standard output: a line for each call of nanoseconds (the call, the same for empty messages,
// processor time of the worker in both, what the worker claims, and of a server until outputs were
// fetched). Then a line of how it ended: "done", "failed" when the worker says that a call did, and
// whether it "changed" inputs, or returned memory that was "shared" by outputs or with an "input",
// or in which was "stale" what had been written into an earlier result.

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <iostream>
#include <optional>
#include <sched.h>
#include <sstream>
#include <string>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace {

constexpr size_t ALIGNMENT = 64;  // bytes, of which tensors begin at multiples
constexpr size_t BLOCK = 1 << 18;  // bytes that are overwritten with one piece of memory
constexpr size_t PIECES = 1024;    // of memory that one system call takes
constexpr size_t LOOKS = 16;       // places of an output that are looked at again

struct Call {
    size_t begin, size;
    std::string message;      // with the seed of the call, which nobody learns of before it
    std::string description;  // of inputs unlike those of the call before, with an end
};

struct Inputs {
    char* to = nullptr;
    const char* from = nullptr;
    size_t size = 0;
};

struct Report {
    uint32_t number, failed;
    double claimed;
};

static_assert(sizeof(Report) == 16, "as worker/calls.py packs it");

constexpr unsigned PLACES = 3;  // for outputs of a call on a GPU; as in device.py
constexpr uint32_t FAILED = 1, CHANGED = 2;  // what reports say; as in worker/device_calls.py
const std::string PREPARE = "p";
const std::string EMPTY = "n0000000000";     // asks for no call, and has a seed as calls have

int go;  // the pipe to the worker

[[noreturn]] void fail(const char* what) {
    std::fprintf(stderr, "%s: %s\n", what, std::strerror(errno));
    if (write(go, "x", 1) != 1) std::exit(2);  // the worker waits no longer
    std::exit(1);
}

long long now() {
    timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
}

// For how long a process's main thread was ready while others had its processors, in nanoseconds;
// 0 where the kernel keeps no count.
class MainThread {
public:
    explicit MainThread(const std::string& process)
        : file_(open(("/proc/" + process + "/schedstat").c_str(), O_RDONLY | O_CLOEXEC)) {}

    long long waited() const {
        char text[100] = {};
        if (file_ < 0 || pread(file_, text, sizeof text - 1, 0) <= 0) return 0;
        const char* second = std::strchr(text, ' ');
        return second ? std::atoll(second) : 0;
    }

private:
    int file_;
};

uint64_t drawn() {
    uint64_t number;
    if (getrandom(&number, sizeof number, 0) != sizeof number) fail("drawing a number");
    return number;
}

// What an exchange took, in nanoseconds: by the clock, of processor time of the worker's first
// process.
struct Spent {
    long long taken = 0, used = 0;
};

// Of a call.
struct Times {
    long long call, empty, used, used_empty, claimed, leaving;
};

class Worker {
public:
    Worker(pid_t process, int go, int done)
        : process_(process), go_(go), done_(done), main_(std::to_string(process)), own_("self"),
          clock_(static_cast<clockid_t>((~static_cast<unsigned>(process) << 3) | 2)) {}

    // Gives it inputs and a message at once, until its answer was read. The clock is without the
    // time for which it or this process could not run because others did. Inputs are written as
    // memory is, which wakes up nobody who waits for it.
    Spent exchange(const std::string& message, void* report, size_t size,
                   const Inputs& inputs = {}) {
        const long long before = main_.waited(), own = own_.waited();
        const long long used = cpu();
        if (inputs.size) std::memcpy(inputs.to, inputs.from, inputs.size);
        const long long began = now();
        size_t sent = 0, got = 0;
        while (sent < message.size()) {
            const ssize_t count = write(go_, message.data() + sent, message.size() - sent);
            if (count <= 0) fail("sending to a worker");
            sent += static_cast<size_t>(count);
        }
        while (got < size) {
            const ssize_t count = read(done_, static_cast<char*>(report) + got, size - got);
            if (count <= 0) fail("reading a worker's report");
            got += static_cast<size_t>(count);
        }
        Spent spent;
        spent.taken = now() - began;
        spent.used = cpu() - used;
        const long long waited = main_.waited() - before + own_.waited() - own;
        spent.taken = std::max(0LL, spent.taken - waited);
        return spent;
    }

    void copy(uint64_t address, char* place, size_t size) const {
        while (size) {
            iovec ours{place, size}, theirs{reinterpret_cast<void*>(address), size};
            const ssize_t count = process_vm_readv(process_, &ours, 1, &theirs, 1, 0);
            if (count <= 0) fail("reading what a worker returned");
            place += count, address += static_cast<uint64_t>(count);
            size -= static_cast<size_t>(count);
        }
    }

    // Fills memory of the worker with blocks of this memory.
    void overwrite(uint64_t address, size_t size, std::vector<uint64_t>& block) const {
        std::vector<iovec> ours;
        while (size) {
            ours.clear();
            size_t whole = 0;
            while (whole < size && ours.size() < PIECES) {
                ours.push_back({block.data(), std::min(size - whole, BLOCK)});
                whole += ours.back().iov_len;
            }
            iovec theirs{reinterpret_cast<void*>(address), whole};
            const ssize_t count =
                process_vm_writev(process_, ours.data(), ours.size(), &theirs, 1, 0);
            if (count != static_cast<ssize_t>(whole)) fail("writing into what a worker returned");
            address += whole, size -= whole;
        }
    }

    // Whether memory that was filled with a word still is so, as far as some places tell.
    bool holds(uint64_t address, size_t size, uint64_t word) const {
        const size_t words = size / sizeof word;
        if (!words) return true;
        uint64_t found[LOOKS];
        iovec ours{found, sizeof found}, theirs[LOOKS];
        for (iovec& one : theirs)
            one = {reinterpret_cast<void*>(address + drawn() % words * sizeof word), sizeof word};
        const ssize_t count = process_vm_readv(process_, &ours, 1, theirs, LOOKS, 0);
        if (count != static_cast<ssize_t>(sizeof found)) fail("reading what a worker returned");
        return std::count(found, found + LOOKS, word) == LOOKS;
    }

private:
    long long cpu() const {
        timespec time{};
        clock_gettime(clock_, &time);
        return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
    }

    pid_t process_;
    int go_, done_;
    MainThread main_, own_;
    clockid_t clock_;
};

void stay_on(const std::string& list) {
    if (list == "-") return;
    cpu_set_t set;
    CPU_ZERO(&set);
    std::istringstream numbers(list);
    for (std::string one; std::getline(numbers, one, ',');) CPU_SET(std::atoi(one.c_str()), &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0) fail("pinning to processors");
}

std::vector<size_t> sizes() {
    std::string line;
    std::getline(std::cin, line);
    std::istringstream numbers(line);
    std::vector<size_t> found;
    for (size_t one; numbers >> one;) found.push_back(one);
    return found;
}

char* mapped(int file, size_t& size, int protection) {
    struct stat about;
    if (fstat(file, &about) != 0) fail("looking at a file");
    size = static_cast<size_t>(about.st_size);
    if (!size) return nullptr;
    // What is written is written whole, for which page faults would take as long as copying.
    const int now = protection & PROT_WRITE ? MAP_POPULATE : 0;
    void* place = mmap(nullptr, size, protection, MAP_SHARED | now, file, 0);
    if (place == MAP_FAILED) fail("mapping a file");
    return static_cast<char*>(place);
}

void cut(int) {  // only a worker could have cut a file that is mapped here
    const char text[] = "the file that its inputs come in was cut\n";
    if (write(2, text, sizeof text - 1) < 0 || write(go, "x", 1) < 0) _exit(2);
    _exit(1);
}

// What a report says, and copies of the tensors that it points at.
class Reports {
public:
    explicit Reports(const std::vector<size_t>& sizes)
        : sizes_(sizes), held_(sizeof(Report) + sizes.size() * sizeof(uint64_t)) {}

    void only_head() { held_.resize(sizeof(Report)); }  // outputs are fetched otherwise

    void* data() { return held_.data(); }
    size_t size() const { return held_.size(); }

    Report head() const {
        Report report;
        std::memcpy(&report, held_.data(), sizeof report);
        return report;
    }

    void fetch(const Worker& worker, char* place, const char* end) {
        for (size_t k = 0; k < sizes_.size(); ++k) {
            const uint64_t address = place_of(k);
            if (place + sizes_[k] > end) errno = ERANGE, fail("keeping what a worker returned");
            if (address) worker.copy(address, place, sizes_[k]);
            stale_ = stale_ || holds_written(place, sizes_[k]);
            place += (sizes_[k] + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        }
    }

    // Overwrites some of the tensors, each with a word of its own that nobody knows; whether what is
    // written into one shows in another.
    bool overwrite(const Worker& worker, const std::vector<size_t>& which) {
        bool shared = false;
        for (const bool look : {false, true})
            for (size_t k = 0; k < sizes_.size() && k < which.size(); ++k) {
                if (!which[k] || !place_of(k)) continue;
                if (look) {
                    shared |= !worker.holds(place_of(k), sizes_[k], first_word_ + k);
                    continue;
                }
                std::fill(block_.begin(), block_.end(), first_word_ + k);
                worker.overwrite(place_of(k), sizes_[k], block_);
            }
        return shared;
    }

    // Whether a tensor that was fetched held what an earlier one was overwritten with.
    bool stale() const { return stale_; }

private:
    bool holds_written(const char* place, size_t size) const {
        const size_t words = size / sizeof(uint64_t);
        for (size_t k = 0; words && k < LOOKS; ++k) {
            uint64_t word;
            std::memcpy(&word, place + drawn() % words * sizeof word, sizeof word);
            if (word - first_word_ < sizes_.size()) return true;
        }
        return false;
    }

    uint64_t place_of(size_t k) const {
        uint64_t address;
        std::memcpy(&address, held_.data() + sizeof(Report) + k * sizeof address, sizeof address);
        return address;
    }

    std::vector<size_t> sizes_;
    std::vector<char> held_;
    const uint64_t first_word_ = drawn();
    std::vector<uint64_t> block_ = std::vector<uint64_t>(BLOCK / sizeof(uint64_t));
    bool stale_ = false;
};

// The process that owns inputs and outputs on a GPU.
class Server {
public:
    Server(const char* go, const char* done, const char* process)
        : go_(open(go, O_RDWR | O_CLOEXEC)),
          worker_(std::atoi(process), go_, open(done, O_RDWR | O_CLOEXEC)) {}

    // Brings the inputs of a call, and the caches to the state that they are to be in.
    void load(size_t call) { ask("l" + std::to_string(call) + "\n"); }

    // Nanoseconds until the outputs of a call are with the server, and whether inputs were changed.
    long long fetch(Worker& from, size_t call, bool& failed, bool& changed) {
        const std::string place = std::to_string(drawn() % PLACES);
        Report report;
        const long long taken = from.exchange("o" + place + "\n", &report, sizeof report).taken;
        failed = report.failed != 0;
        if (failed) return 0;
        const auto [fetching, differ] = ask("f" + std::to_string(call) + " " + place + "\n");
        changed |= differ;
        return taken + fetching;
    }

    void end() const {
        if (write(go_, "e", 1) != 1) fail("ending a server's work");
    }

private:
    std::pair<long long, bool> ask(const std::string& message) {
        Report report;
        const long long taken = worker_.exchange(message, &report, sizeof report).taken;
        if (report.failed == FAILED) errno = EIO, fail("the reference's process");
        return {taken, report.failed == CHANGED};
    }

    int go_;
    Worker worker_;
};

}  // namespace

int main(int count, char** arguments) {
    go = open(arguments[1], O_RDWR | O_CLOEXEC);
    const int done = open(arguments[2], O_RDWR | O_CLOEXEC);
    if (go < 0 || done < 0) fail("opening pipes to a worker");
    std::optional<Server> server;
    if (count > 3) server.emplace(arguments[3], arguments[4], arguments[5]);

    long process;
    int source, shared, kept;
    size_t base, first, step;
    bool compare;
    std::string processors, line;
    std::cin >> process >> source >> shared >> kept >> base >> first >> step >> compare;
    std::cin >> processors;
    std::getline(std::cin, line);
    Reports reports(sizes());
    const std::vector<size_t> overwritten = sizes();  // whether each tensor is
    std::vector<Call> calls;
    while (std::getline(std::cin, line)) {
        std::istringstream parts(line);
        Call call;
        parts >> call.begin >> call.size >> call.message;
        if (parts >> call.description) call.description = "d" + call.description + "\n";
        calls.push_back(call);
    }
    stay_on(processors);

    signal(SIGBUS, cut);
    size_t given = 0, room = 0, place = 0;
    const char* inputs = mapped(source, given, PROT_READ);
    char* theirs = mapped(shared, place, PROT_READ | PROT_WRITE);
    char* results = mapped(kept, room, PROT_READ | PROT_WRITE);
    Worker worker(static_cast<pid_t>(process), go, done);
    if (server) reports.only_head();
    std::vector<Times> times;
    bool changed = false, failed = false, shared_outputs = false;
    bool input = false;  // whether overwriting outputs has changed one
    std::vector<char> other(reports.size());  // reports that point at nothing
    const auto prepare = [&] { worker.exchange(PREPARE, other.data(), other.size()); };
    if (!calls.empty()) prepare();
    for (size_t k = 0; k < calls.size() && !failed; ++k) {
        const Call& call = calls[k];
        if (!server && (call.begin + call.size > given || base + call.size > place))
            errno = ERANGE, fail("giving inputs");
        const Inputs own =
            server ? Inputs{} : Inputs{theirs + base, inputs + call.begin, call.size};
        Times taken{};
        if (!call.description.empty())
            worker.exchange(call.description, other.data(), other.size());
        const Spent empty = worker.exchange(EMPTY, other.data(), other.size());
        if (server) server->load(k);
        const Spent calling = worker.exchange(call.message, reports.data(), reports.size(), own);
        const Report report = reports.head();
        if (report.number != k) errno = EPROTO, fail("a worker's report is of another call");
        failed = report.failed != 0;
        if (!failed && server) taken.leaving = server->fetch(worker, k, failed, changed);
        if (!failed && !server) reports.fetch(worker, results + first + k * step, results + room);
        const bool compared = !server && compare && own.size;
        changed |= compared && std::memcmp(own.to, own.from, own.size) != 0;
        if (!failed && !server) shared_outputs |= reports.overwrite(worker, overwritten);
        input |= compared && !changed && std::memcmp(own.to, own.from, own.size) != 0;
        taken.call = calling.taken, taken.empty = empty.taken;
        taken.used = calling.used, taken.used_empty = empty.used;
        if (report.claimed >= 0 && report.claimed < 1e6)
            taken.claimed = static_cast<long long>(report.claimed * 1e9);
        if (!failed) prepare();
        times.push_back(taken);
    }
    if (write(go, "e", 1) != 1) fail("ending a worker's calls");
    if (server && std::strcmp(arguments[1], arguments[3]) != 0) server->end();
    for (const Times& one : times)
        std::printf("%lld %lld %lld %lld %lld %lld\n", one.call, one.empty, one.used,
                    one.used_empty, one.claimed, one.leaving);
    std::printf("%s%s%s%s%s\n", failed ? "failed" : "done", changed ? " changed" : "",
                shared_outputs ? " shared" : "", input ? " input" : "",
                reports.stale() ? " stale" : "");
    return 0;
}
