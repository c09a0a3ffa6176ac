// Divides by odd numbers only, and by no more than a third of the number.
#include <iostream>

using namespace std;

bool is_prime(int x) {
    if (x < 4) {
        return x > 1;
    }
    if (x % 2 == 0) {
        return false;
    }
    for (int i = 3; i <= x / 3; i += 2) {
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
