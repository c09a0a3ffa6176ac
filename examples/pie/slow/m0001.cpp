// Counts the pairs of numbers that add up to a target.
#include <iostream>
#include <vector>

using namespace std;

int main() {
    int n, target;
    unsigned seed;
    cin >> n >> target >> seed;
    vector<int> values(n);
    for (int i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        values[i] = (seed >> 8) % 1000;
    }

    long long pairs = 0;
    for (int i = 0; i < n; i++) {
        for (int j = i + 1; j < n; j++) {
            if (values[i] + values[j] == target) {
                pairs++;
            }
        }
    }
    cout << pairs << endl;
    return 0;
}
