// The longest rising subsequence, from the smallest end for every length.
#include <algorithm>
#include <iostream>
#include <vector>

using namespace std;

int main() {
    ios::sync_with_stdio(false);
    cin.tie(nullptr);
    int n;
    cin >> n;
    vector<int> ends;
    for (int i = 0; i < n; i++) {
        int value;
        cin >> value;
        auto place = lower_bound(ends.begin(), ends.end(), value);
        if (place == ends.end()) {
            ends.push_back(value);
        } else {
            *place = value;
        }
    }
    cout << ends.size() << '\n';
    return 0;
}
