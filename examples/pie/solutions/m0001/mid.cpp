// Finds the partners of each number in a tree.
#include <iostream>
#include <map>
#include <vector>

using namespace std;

int main() {
    int n, target;
    unsigned seed;
    cin >> n >> target >> seed;
    multimap<int, int> places;
    vector<int> values(n);
    for (int i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        values[i] = (seed >> 8) % 1000;
        places.insert({values[i], i});
    }

    long long pairs = 0;
    for (int i = 0; i < n; i++) {
        auto partners = places.equal_range(target - values[i]);
        for (auto it = partners.first; it != partners.second; ++it) {
            if (it->second > i) {
                pairs++;
            }
        }
    }
    cout << pairs << '\n';
    return 0;
}
