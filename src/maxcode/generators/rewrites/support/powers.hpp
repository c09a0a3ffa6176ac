#include <cmath>

#ifndef MAXCODE_POWERS_HPP
#define MAXCODE_POWERS_HPP

inline double squared(double x) { return x * x; }
inline double cubed(double x) { return x * x * x; }
inline long double squared(long double x) { return x * x; }
inline long double cubed(long double x) { return x * x * x; }
template <class Integer>
double squared(Integer x) { return static_cast<double>(x) * static_cast<double>(x); }
template <class Integer>
double cubed(Integer x) { return squared(x) * static_cast<double>(x); }

// `base` to a whole power; exact as long as the products are.
inline double whole_power(double base, long long exponent) {
    bool inverse = exponent < 0;
    double result = 1;
    for (exponent = inverse ? -exponent : exponent; exponent > 0; exponent >>= 1) {
        if (exponent & 1) result *= base;
        base *= base;
    }
    return inverse ? 1 / result : result;
}

#endif
