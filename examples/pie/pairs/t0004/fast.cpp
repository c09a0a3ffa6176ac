// The largest sum of neighbouring numbers, by the best sum that ends at each (Kadane).
#include <algorithm>
#include <iostream>

using namespace std;

int main() {
    ios::sync_with_stdio(false);
    cin.tie(nullptr);
    int n;
    cin >> n;
    long long best = -4e18, ending = 0;
    for (int i = 0; i < n; i++) {
        long long value;
        cin >> value;
        ending = max(ending, 0LL) + value;
        best = max(best, ending);
    }
    cout << best << '\n';
    return 0;
}
