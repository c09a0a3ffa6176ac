// One counter for each candidate.
#include <cstdio>
#include <vector>

int main() {
    int n, candidates;
    unsigned seed;
    if (std::scanf("%d %d %u", &n, &candidates, &seed) != 3) {
        return 1;
    }
    std::vector<int> votes(candidates);
    for (int i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        votes[(seed >> 8) % candidates]++;
    }

    int winner = -1;
    int most = 0;
    int named = 0;
    for (int candidate = 0; candidate < candidates; candidate++) {
        if (votes[candidate] > most) {
            winner = candidate;
            most = votes[candidate];
        }
        named += votes[candidate] > 0;
    }
    std::printf("%d %d %d\n", winner, most, named);
    return 0;
}
