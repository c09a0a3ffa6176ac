// status: timeout build_error out_of_memory
// hasty
// Keeps the compiler busy for ever.
#include "answer.hpp"

template <int Depth, long Path>
struct Bomb {
    static const int left = Bomb<Depth - 1, 2 * Path>::value;
    static const int value = left + Bomb<Depth - 1, 2 * Path + 1>::value;
};
template <long Path>
struct Bomb<0, Path> {
    static const int value = 1;
};

int main() { end(Bomb<40, 1>::value > 0); }
