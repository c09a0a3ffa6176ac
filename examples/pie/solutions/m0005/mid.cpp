// Flushes after every eighth line.
#include <iostream>

using namespace std;

int main() {
    int n;
    unsigned seed;
    cin >> n >> seed;
    long long sum = 0;
    for (int i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        sum += (seed >> 8) % 1000;
        cout << sum % 10 << '\n';
        if (i % 8 == 7) {
            cout << flush;
        }
    }
    return 0;
}
