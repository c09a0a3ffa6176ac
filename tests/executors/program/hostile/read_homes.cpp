// status: runtime_error
// Looks for any file that belongs to people.
#include "answer.hpp"
#include <cstring>
#include <ftw.h>

static int look(const char* path, const struct stat*, int kind, struct FTW*) {
    if (kind == FTW_F && !strstr(path, "/supervisor-") && fopen(path, "r")) end(true);
    return 0;
}

int main() {
    for (const char* top : {"/root", "/home", "/work", "/srv", "/opt", "/mnt", "/var", "/run"})
        nftw(top, look, 16, FTW_PHYS);
    end(false);
}
