// Counts the primes up to n and tells the largest.
#include <iostream>

using namespace std;

bool is_prime(int x) {
    if (x < 2) {
        return false;
    }
    for (int i = 2; i < x; i++) {
        if (x % i == 0) {
            return false;
        }
    }
    return true;
}

int main() {
    int n;
    cin >> n;
    int count = 0;
    int largest = 0;
    for (int i = 1; i <= n; i++) {
        if (is_prime(i)) {
            count++;
            largest = i;
        }
    }
    cout << count << " " << largest << endl;
    return 0;
}
