// The largest number of every window of k; tells how many differ from the one before, and a sum.
#include <iostream>
#include <vector>

using namespace std;

int main() {
    int n, k;
    unsigned seed;
    cin >> n >> k >> seed;
    vector<int> values(n);
    for (int i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        values[i] = (seed >> 8) % 10000;
    }

    vector<int> maxima;
    for (int i = 0; i + k <= n; i++) {
        int largest = values[i];
        for (int j = i; j < i + k; j++) {
            if (values[j] > largest) {
                largest = values[j];
            }
        }
        maxima.push_back(largest);
    }

    int changes = 0;
    long long sum = 0;
    for (size_t i = 0; i < maxima.size(); i++) {
        if (i > 0 && maxima[i] != maxima[i - 1]) {
            changes++;
        }
        sum += maxima[i];
    }
    cout << changes << " " << sum << endl;
    return 0;
}
