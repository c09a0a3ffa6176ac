// The shortest distance between any two points, which are sorted so that most are never compared.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

int main() {
    int n;
    if (std::scanf("%d", &n) != 1) {
        return 1;
    }
    std::vector<std::pair<double, double>> points(n);
    for (auto& [x, y] : points) {
        if (std::scanf("%lf %lf", &x, &y) != 2) {
            return 1;
        }
    }
    std::sort(points.begin(), points.end());
    double best = 1e36;
    for (int i = 0; i < n; i++) {
        for (int j = i + 1; j < n; j++) {
            double dx = points[j].first - points[i].first;
            if (dx * dx >= best) {
                break;
            }
            double dy = points[j].second - points[i].second;
            best = std::min(best, dx * dx + dy * dy);
        }
    }
    std::printf("%.6f\n", std::sqrt(best));
    return 0;
}
