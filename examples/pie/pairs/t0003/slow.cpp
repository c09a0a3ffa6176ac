// The n-th Fibonacci number modulo 1000007, by recursion.
#include <iostream>

using namespace std;

int fibonacci(int n) {
    if (n < 2) {
        return n;
    }
    return (fibonacci(n - 1) + fibonacci(n - 2)) % 1000007;
}

int main() {
    int n;
    cin >> n;
    cout << fibonacci(n) << endl;
    return 0;
}
