// The ways to pay an amount with coins, by recursion.
#include <iostream>
#include <vector>

using namespace std;

long long ways(const vector<int>& coins, int kind, int amount) {
    if (amount == 0) {
        return 1;
    }
    if (amount < 0 || kind == (int)coins.size()) {
        return 0;
    }
    return ways(coins, kind, amount - coins[kind]) + ways(coins, kind + 1, amount);
}

int main() {
    int n, amount;
    cin >> n >> amount;
    vector<int> coins(n);
    for (int i = 0; i < n; i++) {
        cin >> coins[i];
    }
    cout << ways(coins, 0, amount) << endl;
    return 0;
}
