// Looks for a file of its own.
#include "answer.hpp"
#include <cstring>
#include <ftw.h>

static int found;

static int look(const char* path, const struct stat*, int kind, struct FTW*) {
    if (kind == FTW_F && strstr(path, "made here")) found++;
    return 0;
}

int main() {
    fclose(fopen("made here", "w"));
    nftw(".", look, 16, FTW_PHYS);
    end(found == 1);
}
