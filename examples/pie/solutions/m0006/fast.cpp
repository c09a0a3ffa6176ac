// Counts every mark once, before the questions.
#include <algorithm>
#include <cstdio>

int main() {
    int n, q;
    unsigned seed;
    if (std::scanf("%d %d %u", &n, &q, &seed) != 3) {
        return 1;
    }
    int counts[500] = {};
    for (int i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        counts[(seed >> 8) % 500]++;
    }
    int most = 0;
    long long sum = 0;
    for (int i = 0; i < q; i++) {
        seed = seed * 1664525u + 1013904223u;
        int count = counts[(seed >> 8) % 500];
        sum += count;
        most = std::max(most, count);
    }
    std::printf("%lld %d\n", sum, most);
    return 0;
}
