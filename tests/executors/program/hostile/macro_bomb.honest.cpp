// For one that is a little longer.
#include "answer.hpp"

#define A x + x + x + x + x + x + x + x + x + x
#define B A + A + A + A + A + A + A + A + A + A

int main() {
    long x = 1;
    end((B) == 100);
}
