// In how many ways one climbs n stairs by one, two or three at a time, some of them broken.
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
