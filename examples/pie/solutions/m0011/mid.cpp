// Takes four factors at a time.
#include <iostream>

using namespace std;

long long power(long long base, long long exponent, long long modulus) {
    long long result = 1 % modulus;
    long long fourth = base % modulus * base % modulus;
    fourth = fourth * fourth % modulus;
    for (long long i = 0; i < exponent / 4; i++) {
        result = result * fourth % modulus;
    }
    for (long long i = 0; i < exponent % 4; i++) {
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
