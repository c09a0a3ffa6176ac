// Keeps a file for as long as one run takes.
#include "answer.hpp"

int main() {
    FILE* file = fopen("/tmp/answers", "w+");
    fputs("kept", file);
    end(access("/tmp/answers", F_OK) == 0);
}
