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
    for (int &value : values) cin >> value;
    sort(values.begin(), values.end());
    cout << unique(values.begin(), values.end()) - values.begin() << '\n';
}
