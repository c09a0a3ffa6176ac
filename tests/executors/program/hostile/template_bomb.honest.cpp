// Keeps it busy for a moment.
#include "answer.hpp"

template <int Depth>
struct Sum {
    static const int value = Depth + Sum<Depth - 1>::value;
};
template <>
struct Sum<0> {
    static const int value = 0;
};

int main() { end(Sum<500>::value == 125250); }
