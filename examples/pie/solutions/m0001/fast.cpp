// Counts how often each number came before; every number meets its partners so far.
#include <cstdio>
#include <vector>

int main() {
    int n, target;
    unsigned seed;
    if (std::scanf("%d %d %u", &n, &target, &seed) != 3) {
        return 1;
    }
    std::vector<int> count(1000);
    long long pairs = 0;
    for (int i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        int value = (seed >> 8) % 1000;
        int partner = target - value;
        if (0 <= partner && partner < 1000) {
            pairs += count[partner];
        }
        count[value]++;
    }
    std::printf("%lld\n", pairs);
    return 0;
}
