// Reads its own place.
#include "answer.hpp"

int main() {
    FILE* itself = fopen("/proc/self/exe", "r");
    end(itself && getc(itself) == 0x7f);
}
