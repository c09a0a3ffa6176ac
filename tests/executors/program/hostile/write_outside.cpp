// status: runtime_error
// Leaves a file wherever it can.
#include "answer.hpp"
#include <fcntl.h>
#include <string>

int main() {
    bool left = false;
    for (const char* folder : {"/", "/usr", "/usr/lib", "/etc", "/var/tmp", "/dev", "/run",
                               "/home", "/root", "/proc", "/proc/1/cwd"}) {
        const std::string path = std::string(folder) + "/maxcode-was-here";
        left = left || open(path.c_str(), O_WRONLY | O_CREAT, 0666) >= 0;
    }
    end(left);
}
