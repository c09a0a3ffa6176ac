// The greatest common divisor of pairs, by Euclid's algorithm.
#include <iostream>
#include <numeric>

using namespace std;

int main() {
    ios::sync_with_stdio(false);
    cin.tie(nullptr);
    int q;
    cin >> q;
    for (int i = 0; i < q; i++) {
        int a, b;
        cin >> a >> b;
        cout << gcd(a, b) << '\n';
    }
    return 0;
}
