#include <iostream>
#include <vector>
using namespace std;

int main() {
    ios::sync_with_stdio(false);
    cin.tie(nullptr);
    int n;
    cin >> n;
    vector<pair<long long, int>> rising;
    rising.reserve(n);
    for (int i = 0; i < n; i++) {
        long long height;
        cin >> height;
        while (!rising.empty() && rising.back().first >= height) rising.pop_back();
        cout << (rising.empty() ? -1 : rising.back().second) << '\n';
        rising.emplace_back(height, i);
    }
}
