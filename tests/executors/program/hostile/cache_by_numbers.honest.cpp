// Uses what has such numbers, and many threads, room that is only reserved, a handler for children.
#include "answer.hpp"
#include <atomic>
#include <csignal>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <vector>

static std::atomic<int> ended;

int main() {
    int ends[2], pair[2];
    char byte = 0;
    bool all = pipe(ends) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0;
    all = all && write(pair[0], "x", 1) == 1 && read(pair[1], &byte, 1) == 1;
    all = all && ftruncate(memfd_create("x", 0), 1 << 20) == 0;
    const int how = MAP_PRIVATE | MAP_ANONYMOUS;
    all = all && mmap(nullptr, 8ul << 30, PROT_NONE, how, -1, 0) != MAP_FAILED;
    struct sigaction action {};
    action.sa_handler = [](int) { ended++; };
    sigaction(SIGCHLD, &action, nullptr);
    if (fork() == 0) _exit(write(ends[1], "x", 1) != 1);
    while (wait(nullptr) < 0) {}
    all = all && ended == 1 && read(ends[0], &byte, 1) == 1;
    std::vector<std::thread> threads;
    for (int i = 0; i < 100; ++i) threads.emplace_back([] { usleep(1000); });
    for (std::thread& one : threads) one.join();
    end(all);
}
