// Looks at folders that are there for everybody.
#include "answer.hpp"
#include <dirent.h>

int main() { end(opendir("/usr/lib") && opendir(".") && opendir("/proc/self/task")); }
