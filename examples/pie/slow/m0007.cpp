// Counts votes; tells the winner (the smallest number of several), the votes and the candidates.
#include <iostream>
#include <map>

using namespace std;

int main() {
    int n, candidates;
    unsigned seed;
    cin >> n >> candidates >> seed;
    map<int, int> votes;
    for (int i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        int candidate = (seed >> 8) % candidates;
        if (votes.find(candidate) == votes.end()) {
            votes[candidate] = 1;
        } else {
            votes[candidate] = votes[candidate] + 1;
        }
    }

    int winner = -1;
    int most = 0;
    for (auto entry : votes) {
        if (entry.second > most) {
            winner = entry.first;
            most = entry.second;
        }
    }
    cout << winner << " " << most << " " << votes.size() << endl;
    return 0;
}
