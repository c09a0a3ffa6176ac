// Sorts numbers with the library's sort.
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
    sort(values.begin(), values.end());
    for (int value : values) {
        cout << value << '\n';
    }
    return 0;
}
