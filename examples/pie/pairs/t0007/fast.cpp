// Pairs that are out of order, counted in a Fenwick tree over the ranks.
#include <algorithm>
#include <iostream>
#include <vector>

using namespace std;

int main() {
    ios::sync_with_stdio(false);
    cin.tie(nullptr);
    int n;
    cin >> n;
    vector<int> values(n);
    for (int& value : values) {
        cin >> value;
    }
    vector<int> sorted = values;
    sort(sorted.begin(), sorted.end());
    vector<int> tree(n + 1);
    long long count = 0;
    for (int i = n - 1; i >= 0; i--) {
        auto place = lower_bound(sorted.begin(), sorted.end(), values[i]);
        int rank = static_cast<int>(place - sorted.begin()) + 1;
        for (int j = rank - 1; j > 0; j -= j & -j) {
            count += tree[j];
        }
        for (int j = rank; j <= n; j += j & -j) {
            tree[j]++;
        }
    }
    cout << count << '\n';
    return 0;
}
