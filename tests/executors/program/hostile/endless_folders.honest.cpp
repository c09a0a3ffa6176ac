// Makes some.
#include "answer.hpp"
#include <sys/stat.h>

int main() {
    bool made = true;
    for (int i = 0; i < 20; i++) made = made && mkdir("deeper", 0700) == 0 && chdir("deeper") == 0;
    end(made);
}
