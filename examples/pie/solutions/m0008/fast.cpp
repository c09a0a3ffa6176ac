// Horner's method: no powers at all.
#include <algorithm>
#include <cstdio>
#include <vector>

int main() {
    int degree, points;
    if (std::scanf("%d %d", &degree, &points) != 2) {
        return 1;
    }
    std::vector<double> coefficients(degree + 1);
    for (double& c : coefficients) {
        if (std::scanf("%lf", &c) != 1) {
            return 1;
        }
    }
    double sum = 0;
    double largest = -1e18;
    for (int i = 0; i < points; i++) {
        double x = 2.0 * i / points - 1.0;
        double value = 0;
        for (int j = degree; j >= 0; j--) {
            value = value * x + coefficients[j];
        }
        sum += value;
        largest = std::max(largest, value);
    }
    std::printf("%.6f\n%.6f\n", sum / points, largest);
    return 0;
}
