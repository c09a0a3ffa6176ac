// The n-th Fibonacci number modulo 1000007, from the two before it.
#include <iostream>

using namespace std;

int main() {
    int n;
    cin >> n;
    int last = 0, next = 1;
    for (int i = 0; i < n; i++) {
        int sum = (last + next) % 1000007;
        last = next;
        next = sum;
    }
    cout << last << '\n';
    return 0;
}
