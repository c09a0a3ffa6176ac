// The most worth that fits into a bag, by trying every choice.
#include <algorithm>
#include <iostream>
#include <vector>

using namespace std;

int best(vector<int> weights, vector<int> worths, size_t item, int room) {
    if (item == weights.size()) {
        return 0;
    }
    int without = best(weights, worths, item + 1, room);
    if (weights[item] > room) {
        return without;
    }
    return max(without, worths[item] + best(weights, worths, item + 1, room - weights[item]));
}

int main() {
    int n, room;
    cin >> n >> room;
    vector<int> weights(n), worths(n);
    for (int i = 0; i < n; i++) {
        cin >> weights[i] >> worths[i];
    }
    cout << best(weights, worths, 0, room) << endl;
    return 0;
}
