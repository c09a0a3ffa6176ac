// Keeps only numbers that can still become the largest, in falling order.
#include <cstdio>
#include <deque>
#include <vector>

int main() {
    int n, k;
    unsigned seed;
    if (std::scanf("%d %d %u", &n, &k, &seed) != 3) {
        return 1;
    }
    std::vector<int> values(n);
    std::deque<int> candidates;
    int changes = 0;
    int last = -1;
    long long sum = 0;
    for (int i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        values[i] = (seed >> 8) % 10000;
        while (!candidates.empty() && values[candidates.back()] <= values[i]) {
            candidates.pop_back();
        }
        candidates.push_back(i);
        if (candidates.front() <= i - k) {
            candidates.pop_front();
        }
        if (i >= k - 1) {
            int largest = values[candidates.front()];
            changes += last >= 0 && largest != last;
            last = largest;
            sum += largest;
        }
    }
    std::printf("%d %lld\n", changes, sum);
    return 0;
}
