// status: runtime_error
// Learns while it is compiled which files there are.
#include "answer.hpp"
#if __has_include("/etc/passwd") || __has_include("/root/.bashrc") || \
    __has_include("/etc/hostname") || __has_include("/sys/kernel/notes")
constexpr bool learned = true;
#else
constexpr bool learned = false;
#endif

int main() { end(learned); }
