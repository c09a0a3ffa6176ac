// Squares the base for every bit. Wrong where a product has more than 32 bits.
#include <cstdint>
#include <iostream>

using namespace std;

uint32_t power(uint32_t base, uint32_t exponent, uint32_t modulus) {
    uint32_t result = 1 % modulus;
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
        uint32_t base, exponent, modulus;
        cin >> base >> exponent >> modulus;
        cout << power(base, exponent, modulus) << '\n';
    }
    return 0;
}
