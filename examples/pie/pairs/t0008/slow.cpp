// The longest rising subsequence, from those that end at every earlier number.
#include <algorithm>
#include <iostream>
#include <vector>

using namespace std;

int main() {
    int n;
    cin >> n;
    vector<int> values(n), longest(n);
    int best = 0;
    for (int i = 0; i < n; i++) {
        cin >> values[i];
        longest[i] = 1;
        for (int j = 0; j < i; j++) {
            if (values[j] < values[i]) {
                longest[i] = max(longest[i], longest[j] + 1);
            }
        }
        best = max(best, longest[i]);
    }
    cout << best << endl;
    return 0;
}
