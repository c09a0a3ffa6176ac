#include <limits>

#ifndef MAXCODE_ROOTS_HPP
#define MAXCODE_ROOTS_HPP

// Whether the root of `square`, however it is rounded, is certainly not below `bound`, or never
// compares as below it. The margin is far wider than the errors of rounding and of underflow.
template <class Number>
inline bool root_reaches(Number square, Number bound) {
    return square > bound * bound * Number(1.0009765625) + 4 * std::numeric_limits<Number>::min();
}

#endif
