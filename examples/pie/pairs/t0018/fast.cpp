// The k-th smallest number after every new one: a heap keeps the k smallest.
#include <iostream>
#include <queue>

using namespace std;

int main() {
    ios::sync_with_stdio(false);
    cin.tie(nullptr);
    int n, k;
    cin >> n >> k;
    priority_queue<int> smallest;
    for (int i = 0; i < n; i++) {
        int value;
        cin >> value;
        smallest.push(value);
        if (static_cast<int>(smallest.size()) > k) {
            smallest.pop();
        }
        if (static_cast<int>(smallest.size()) == k) {
            cout << smallest.top() << '\n';
        }
    }
    return 0;
}
