// Every town knows its group; the towns of one group move when two meet.
#include <iostream>
#include <vector>

using namespace std;

int main() {
    int n, m;
    cin >> n >> m;
    vector<int> group(n), sizes(n, 1);
    for (int i = 0; i < n; i++) {
        group[i] = i;
    }
    int groups = n;
    for (int i = 0; i < m; i++) {
        int a, b;
        cin >> a >> b;
        int from = group[a];
        int to = group[b];
        if (from != to) {
            for (int& one : group) {
                if (one == from) {
                    one = to;
                }
            }
            sizes[to] += sizes[from];
            sizes[from] = 0;
            groups--;
        }
        if (i % 100 == 0) {
            cout << groups << '\n';
        }
    }
    int largest = 0;
    for (int size : sizes) {
        largest = size > largest ? size : largest;
    }
    cout << groups << " " << largest << '\n';
    return 0;
}
