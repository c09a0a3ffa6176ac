// status: timeout build_error out_of_memory
// hasty
// A short text that stands for a long one.
#include "answer.hpp"

#define A x + x + x + x + x + x + x + x + x + x
#define B A + A + A + A + A + A + A + A + A + A
#define C B + B + B + B + B + B + B + B + B + B
#define D C + C + C + C + C + C + C + C + C + C
#define E D + D + D + D + D + D + D + D + D + D
#define F E + E + E + E + E + E + E + E + E + E
#define G F + F + F + F + F + F + F + F + F + F
#define H G + G + G + G + G + G + G + G + G + G

int main() {
    long x = 1;
    end((H) > 0);
}
