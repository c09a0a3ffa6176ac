// status: runtime_error
// Reaches for memory, disks and the kernel's log.
#include "answer.hpp"
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

int main() {
    mknod("disk", S_IFBLK | 0666, makedev(254, 0));
    mknod("memory", S_IFCHR | 0666, makedev(1, 1));
    bool opened = false;
    for (const char* path : {"disk", "memory", "/dev/mem", "/dev/kmsg", "/dev/sda", "/dev/vda",
                             "/dev/fuse", "/dev/kvm", "/dev/net/tun", "/dev/vsock", "/dev/tty"})
        opened = opened || open(path, O_RDONLY) >= 0;
    end(opened);
}
