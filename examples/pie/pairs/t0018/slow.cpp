// The k-th smallest number after every new one: all are sorted again each time.
#include <algorithm>
#include <iostream>
#include <vector>

using namespace std;

int main() {
    int n, k;
    cin >> n >> k;
    vector<int> values;
    for (int i = 0; i < n; i++) {
        int value;
        cin >> value;
        values.push_back(value);
        sort(values.begin(), values.end());
        if ((int)values.size() >= k) {
            cout << values[k - 1] << endl;
        }
    }
    return 0;
}
