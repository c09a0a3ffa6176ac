// Keeps the largest number, and forgets it late. Wrong where it leaves the window for good.
#include <cstdio>
#include <vector>

int main() {
    int n, k;
    unsigned seed;
    if (std::scanf("%d %d %u", &n, &k, &seed) != 3) {
        return 1;
    }
    std::vector<int> values(n);
    int changes = 0;
    int place = 0;
    int last = -1;
    long long sum = 0;
    for (int i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        values[i] = (seed >> 8) % 10000;
        if (values[i] >= values[place] || place <= i - k) {
            place = i;
        }
        if (i >= k - 1) {
            int largest = values[place];
            changes += last >= 0 && largest != last;
            last = largest;
            sum += largest;
        }
    }
    std::printf("%d %lld\n", changes, sum);
    return 0;
}
