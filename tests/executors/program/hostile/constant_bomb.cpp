// status: timeout build_error out_of_memory
// hasty
// Computes for ever before there is a program.
#include "answer.hpp"

constexpr long steps(long n) {
    long sum = 0;
    for (long i = 0; i < n; i++) sum += i & 3;
    return sum;
}
template <int... All>
constexpr long many() {
    return (steps(200000 + All) + ...);
}
constexpr long result = many<__COUNTER__, __COUNTER__, 2, 3, 4, 5, 6, 7, 8, 9>() + steps(1l << 60);

int main() { end(result > 0); }
