// status: runtime_error
// Reads who uses the machine.
#include "answer.hpp"

int main() {
    bool read = false;
    for (const char* path : {"/etc/passwd", "/etc/shadow", "/etc/hostname", "/etc/machine-id",
                             "/etc/resolv.conf", "/var/log/dpkg.log", "/proc/kmsg", "/proc/kcore",
                             "/sys/class/dmi/id/product_uuid", "/boot/config"})
        read = read || fopen(path, "r");
    end(read);
}
