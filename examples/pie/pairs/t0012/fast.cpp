// The most worth that fits into a bag, for every room at once.
#include <algorithm>
#include <iostream>
#include <vector>

using namespace std;

int main() {
    int n, room;
    cin >> n >> room;
    vector<int> best(room + 1);
    for (int i = 0; i < n; i++) {
        int weight, worth;
        cin >> weight >> worth;
        for (int here = room; here >= weight; here--) {
            best[here] = max(best[here], best[here - weight] + worth);
        }
    }
    cout << best[room] << '\n';
    return 0;
}
