// Squares the base for every bit of the exponent.
#include <iostream>

using namespace std;

long long power(long long base, long long exponent, long long modulus) {
    long long result = 1 % modulus;
    base %= modulus;
    while (exponent > 0) {
        if (exponent % 2 == 1) {
            result = result * base % modulus;
        }
        base = base * base % modulus;
        exponent /= 2;
    }
    return result;
}

int main() {
    ios::sync_with_stdio(false);
    cin.tie(nullptr);
    int q;
    cin >> q;
    for (int i = 0; i < q; i++) {
        long long base, exponent, modulus;
        cin >> base >> exponent >> modulus;
        cout << power(base, exponent, modulus) << '\n';
    }
    return 0;
}
