// The ways to pay an amount with coins, for every amount, coin by coin.
#include <iostream>
#include <vector>

using namespace std;

int main() {
    int n, amount;
    cin >> n >> amount;
    vector<long long> ways(amount + 1);
    ways[0] = 1;
    for (int i = 0; i < n; i++) {
        int coin;
        cin >> coin;
        for (int here = coin; here <= amount; here++) {
            ways[here] += ways[here - coin];
        }
    }
    cout << ways[amount] << '\n';
    return 0;
}
