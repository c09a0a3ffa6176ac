// The divisors of a number, found by trying all.
#include <iostream>

using namespace std;

int main() {
    long long n;
    cin >> n;
    long long count = 0, sum = 0;
    for (long long i = 1; i <= n; i++) {
        if (n % i == 0) {
            count++;
            sum += i;
        }
    }
    cout << count << endl << sum << endl;
    return 0;
}
