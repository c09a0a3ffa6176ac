// A hash table, looked at once a vote.
#include <iostream>
#include <unordered_map>

using namespace std;

int main() {
    int n, candidates;
    unsigned seed;
    cin >> n >> candidates >> seed;
    unordered_map<int, int> votes;
    for (int i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        votes[(seed >> 8) % candidates]++;
    }

    int winner = -1;
    int most = 0;
    for (const auto& entry : votes) {
        if (entry.second > most || (entry.second == most && entry.first < winner)) {
            winner = entry.first;
            most = entry.second;
        }
    }
    cout << winner << " " << most << " " << votes.size() << '\n';
    return 0;
}
