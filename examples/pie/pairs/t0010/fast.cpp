// The different numbers of a sequence, in a hash table.
#include <iostream>
#include <unordered_set>

using namespace std;

int main() {
    ios::sync_with_stdio(false);
    cin.tie(nullptr);
    int n;
    cin >> n;
    unordered_set<int> different;
    different.reserve(n);
    for (int i = 0; i < n; i++) {
        int value;
        cin >> value;
        different.insert(value);
    }
    cout << different.size() << '\n';
    return 0;
}
