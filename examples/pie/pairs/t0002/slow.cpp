// The shortest distance between any two points.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

int main() {
    int n;
    if (std::scanf("%d", &n) != 1) {
        return 1;
    }
    std::vector<double> x(n), y(n);
    for (int i = 0; i < n; i++) {
        if (std::scanf("%lf %lf", &x[i], &y[i]) != 2) {
            return 1;
        }
    }
    double best = 1e18;
    for (int i = 0; i < n; i++) {
        for (int j = i + 1; j < n; j++) {
            best = std::min(best, std::sqrt(std::pow(x[i] - x[j], 2) + std::pow(y[i] - y[j], 2)));
        }
    }
    std::printf("%.6f\n", best);
    return 0;
}
