// Makes some files, and removes them.
#include "answer.hpp"

#include <fcntl.h>
#include <sys/stat.h>

int main() {
    mkdir("made", 0700);
    close(open("made/file", O_CREAT | O_WRONLY, 0600));
    rename("made/file", "made/other");
    unlink("made/other");
    rmdir("made");
    solve();
}
