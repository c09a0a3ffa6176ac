#include <limits>

#ifndef MAXCODE_ROOTS_HPP
#define MAXCODE_ROOTS_HPP

// Whether the root of `square`, however it is rounded, is certainly not below `bound`. The margin is
// far wider than the rounding errors; for a bound near 0 or beyond the range nothing is certain.
template <class Number>
bool root_reaches(Number square, Number bound) {
    const Number least = bound * bound;
    return bound > 0 && least > std::numeric_limits<Number>::min() && square > least * Number(1.001);
}

#endif
