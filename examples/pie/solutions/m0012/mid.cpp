// Keeps the window in a tree.
#include <iostream>
#include <set>
#include <vector>

using namespace std;

int main() {
    int n, k;
    unsigned seed;
    cin >> n >> k >> seed;
    vector<int> values(n);
    multiset<int> window;
    int changes = 0;
    int last = -1;
    long long sum = 0;
    for (int i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        values[i] = (seed >> 8) % 10000;
        window.insert(values[i]);
        if (i >= k) {
            window.erase(window.find(values[i - k]));
        }
        if (i >= k - 1) {
            int largest = *window.rbegin();
            if (last >= 0 && largest != last) {
                changes++;
            }
            last = largest;
            sum += largest;
        }
    }
    cout << changes << " " << sum << '\n';
    return 0;
}
