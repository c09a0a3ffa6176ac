// The mean and the spread of numbers, carried on from one to the next (Welford).
#include <algorithm>
#include <cmath>
#include <cstdio>

int main() {
    int n;
    if (std::scanf("%d", &n) != 1) {
        return 1;
    }
    double mean = 0, squares = 0;
    for (int i = 1; i <= n; i++) {
        double value;
        if (std::scanf("%lf", &value) != 1) {
            return 1;
        }
        double distance = value - mean;
        mean += distance / i;
        squares += distance * (value - mean);
        std::printf("%.6f\n%.6f\n", mean, std::sqrt(std::max(squares, 0.0) / i));
    }
    return 0;
}
