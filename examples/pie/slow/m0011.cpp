// Answers questions for base to the power of an exponent, modulo a number.
#include <iostream>

using namespace std;

long long power(long long base, long long exponent, long long modulus) {
    long long result = 1 % modulus;
    for (long long i = 0; i < exponent; i++) {
        result = result * base % modulus;
    }
    return result;
}

int main() {
    int q;
    cin >> q;
    for (int i = 0; i < q; i++) {
        long long base, exponent, modulus;
        cin >> base >> exponent >> modulus;
        cout << power(base, exponent, modulus) << endl;
    }
    return 0;
}
