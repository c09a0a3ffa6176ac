// Two pointers over the sorted numbers. Wrong where a number comes more than once.
#include <algorithm>
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
    sort(values.begin(), values.end());

    long long pairs = 0;
    int low = 0;
    int high = n - 1;
    while (low < high) {
        int sum = values[low] + values[high];
        if (sum == target) {
            pairs++;
            low++;
            high--;
        } else if (sum < target) {
            low++;
        } else {
            high--;
        }
    }
    cout << pairs << '\n';
    return 0;
}
