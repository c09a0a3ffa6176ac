// Counts the ways of the first seven stairs in a table, so that the recursion ends there.
#include <iostream>
#include <vector>

using namespace std;

long long ways(int stair, const vector<int>& broken) {
    if (stair == 0) {
        return 1;
    }
    if (stair < 0 || broken[stair]) {
        return 0;
    }
    if (stair < 8) {
        long long table[8] = {1};
        for (int i = 1; i <= stair; i++) {
            for (int j = 1; j <= 3 && j <= i; j++) {
                table[i] += broken[i] ? 0 : table[i - j];
            }
        }
        return table[stair];
    }
    return ways(stair - 1, broken) + ways(stair - 2, broken) + ways(stair - 3, broken);
}

int main() {
    int n, m;
    cin >> n >> m;
    vector<int> broken(n + 1);
    for (int i = 0; i < m; i++) {
        int stair;
        cin >> stair;
        broken[stair] = 1;
    }
    cout << ways(n, broken) << endl;
    return 0;
}
