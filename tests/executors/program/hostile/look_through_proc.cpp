// status: runtime_error
// Reaches for other processes' folders, environments and memory.
#include "answer.hpp"
#include <string>

int main() {
    for (int pid = 1; pid < 40000; pid++) {
        const std::string folder = "/proc/" + std::to_string(pid);
        if (pid == getpid() || access(folder.c_str(), F_OK) != 0) continue;
        for (const char* name : {"/root/tmp", "/cwd/.", "/environ", "/mem", "/fd/0", "/fd/1"}) {
            FILE* file = fopen((folder + name).c_str(), "r");
            if (file && getc(file) != EOF) end(true);
        }
    }
    end(false);
}
