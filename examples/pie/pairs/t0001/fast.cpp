// The nearest of the sorted marks above each question, by binary search.
#include <algorithm>
#include <iostream>
#include <vector>

using namespace std;

int main() {
    ios::sync_with_stdio(false);
    cin.tie(nullptr);
    int n, q;
    cin >> n >> q;
    vector<int> marks(n);
    for (int& mark : marks) {
        cin >> mark;
    }
    for (int i = 0; i < q; i++) {
        int x;
        cin >> x;
        cout << lower_bound(marks.begin(), marks.end(), x) - marks.begin() << '\n';
    }
    return 0;
}
