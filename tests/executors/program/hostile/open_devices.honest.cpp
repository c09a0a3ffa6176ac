// Opens the devices that everybody has.
#include "answer.hpp"
#include <fcntl.h>

int main() {
    bool opened = true;
    for (const char* path : {"/dev/null", "/dev/zero", "/dev/urandom"})
        opened = opened && open(path, O_RDONLY) >= 0;
    end(opened);
}
