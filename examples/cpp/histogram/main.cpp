// Throws dice many times and draws the distribution of their sum.
#include <bits/stdc++.h>

using namespace std;

long long state;

int throw_die(int sides) {
    state = (state * 1103515245 + 12345) % 2147483648LL;
    int value = state / 65536;
    return value % sides + 1;
}

int main() {
    int dice, sides, throws;
    cin >> dice >> sides >> throws >> state;

    vector<int> sums;
    for (int i = 0; i < throws; i++) {
        int sum = 0;
        for (int d = 0; d < dice; d++) {
            sum += throw_die(sides);
        }
        sums.push_back(sum);
    }

    map<int, int> counts;
    for (int sum : sums) {
        counts[sum]++;
    }

    int highest = 0;
    for (int sum = dice; sum <= dice * sides; sum++) {
        highest = max(highest, counts[sum]);
    }
    for (int sum = dice; sum <= dice * sides; sum++) {
        int stars = highest == 0 ? 0 : 50LL * counts[sum] / highest;
        cout << sum << " " << counts[sum] << " " << string(stars, '*') << endl;
    }
    return 0;
}
