// Answers questions for sums of a range, from sums of all beginnings.
#include <iostream>
#include <vector>

using namespace std;

int main() {
    ios::sync_with_stdio(false);
    cin.tie(nullptr);
    int n, q;
    cin >> n >> q;
    vector<long long> sums(n + 1);
    for (int i = 0; i < n; i++) {
        cin >> sums[i + 1];
        sums[i + 1] += sums[i];
    }
    for (int i = 0; i < q; i++) {
        int first, last;
        cin >> first >> last;
        cout << sums[last + 1] - sums[first] << '\n';
    }
    return 0;
}
