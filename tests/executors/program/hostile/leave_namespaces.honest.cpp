// Looks where it is.
#include "answer.hpp"
#include <cstring>

int main() {
    char folder[4096];
    end(getuid() != 0 && getcwd(folder, sizeof folder) && chdir("..") == 0 && chdir(folder) == 0);
}
