// Lets a program of the system help.
#include "answer.hpp"
#include <cstring>

int main() {
    char said[16] = {};
    FILE* program = popen("echo helped", "r");
    end(fgets(said, sizeof said, program) && strcmp(said, "helped\n") == 0 && pclose(program) == 0);
}
