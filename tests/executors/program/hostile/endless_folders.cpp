// status: timeout runtime_error
// Makes folders in folders for ever, to be removed by whoever cleans up.
#include "answer.hpp"
#include <sys/stat.h>

int main() {
    while (mkdir("deeper", 0700) == 0 && chdir("deeper") == 0 && chmod("..", 0) == 0) {}
    for (;;) {
        if (mkdir("wider", 0700) == 0 && chdir("wider") != 0) end(false);
    }
}
