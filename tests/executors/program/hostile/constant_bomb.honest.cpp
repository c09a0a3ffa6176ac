// Computes a little.
#include "answer.hpp"

constexpr long steps(long n) {
    long sum = 0;
    for (long i = 0; i < n; i++) sum += i & 3;
    return sum;
}
constexpr long result = steps(1000);

int main() { end(result == 1500); }
