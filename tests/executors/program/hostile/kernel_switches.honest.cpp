// Reads a few of them.
#include "answer.hpp"

int main() {
    end(fopen("/proc/sys/kernel/osrelease", "r") && fopen("/proc/sys/vm/overcommit_memory", "r"));
}
