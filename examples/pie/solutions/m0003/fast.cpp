// One sum a stair, from the ground up.
#include <iostream>
#include <vector>

using namespace std;

int main() {
    int n, m;
    cin >> n >> m;
    vector<int> broken(n + 1);
    for (int i = 0; i < m; i++) {
        int stair;
        cin >> stair;
        broken[stair] = 1;
    }
    long long last = 1, second = 0, third = 0;
    for (int stair = 1; stair <= n; stair++) {
        long long here = broken[stair] ? 0 : last + second + third;
        third = second;
        second = last;
        last = here;
    }
    cout << last << '\n';
    return 0;
}
