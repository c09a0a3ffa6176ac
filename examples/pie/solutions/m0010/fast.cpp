// Sums of all rectangles from the corner, four of which make any other.
#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

unsigned seed;

int draw(int limit) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % limit;
}

int main() {
    int n, q;
    if (std::scanf("%d %d %u", &n, &q, &seed) != 3) {
        return 1;
    }
    std::vector<std::vector<long long>> sums(n + 1, std::vector<long long>(n + 1));
    for (int i = 1; i <= n; i++) {
        for (int j = 1; j <= n; j++) {
            sums[i][j] = draw(100) + sums[i - 1][j] + sums[i][j - 1] - sums[i - 1][j - 1];
        }
    }

    long long largest = 0;
    long long checksum = 0;
    for (int i = 0; i < q; i++) {
        int top = draw(n), bottom = draw(n), left = draw(n), right = draw(n);
        if (top > bottom) {
            std::swap(top, bottom);
        }
        if (left > right) {
            std::swap(left, right);
        }
        long long sum = sums[bottom + 1][right + 1] - sums[top][right + 1] -
                        sums[bottom + 1][left] + sums[top][left];
        largest = std::max(largest, sum);
        checksum = (checksum * 7 + sum) % 99991;
    }
    std::printf("%lld %lld\n", largest, checksum);
    return 0;
}
