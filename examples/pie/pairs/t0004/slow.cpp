// The largest sum of neighbouring numbers, by trying every beginning and every end.
#include <algorithm>
#include <iostream>
#include <vector>

using namespace std;

int main() {
    int n;
    cin >> n;
    vector<long long> values(n);
    for (int i = 0; i < n; i++) {
        cin >> values[i];
    }
    long long best = values[0];
    for (int first = 0; first < n; first++) {
        for (int last = first; last < n; last++) {
            long long sum = 0;
            for (int i = first; i <= last; i++) {
                sum += values[i];
            }
            best = max(best, sum);
        }
    }
    cout << best << endl;
    return 0;
}
