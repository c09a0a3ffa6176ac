// Tells, for each number of a sequence, in which of ten classes the sum so far falls.
#include <iostream>
#include <vector>

using namespace std;

int main() {
    int n;
    unsigned seed;
    cin >> n >> seed;
    vector<long long> sums;
    long long sum = 0;
    for (int i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        sum += (seed >> 8) % 1000;
        sums.push_back(sum);
    }
    for (int i = 0; i < n; i++) {
        cout << sums[i] % 10 << endl;
    }
    return 0;
}
