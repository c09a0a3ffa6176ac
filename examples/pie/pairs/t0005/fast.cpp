// The divisors of a number, found in pairs up to its square root.
#include <iostream>

using namespace std;

int main() {
    long long n;
    cin >> n;
    long long count = 0, sum = 0;
    for (long long i = 1; i * i <= n; i++) {
        if (n % i == 0) {
            count++;
            sum += i;
            if (i * i < n) {
                count++;
                sum += n / i;
            }
        }
    }
    cout << count << '\n' << sum << '\n';
    return 0;
}
