// The greatest common divisor of pairs, by trying all.
#include <algorithm>
#include <iostream>

using namespace std;

int main() {
    int q;
    cin >> q;
    for (int i = 0; i < q; i++) {
        int a, b;
        cin >> a >> b;
        int divisor = min(a, b);
        while (a % divisor != 0 || b % divisor != 0) {
            divisor--;
        }
        cout << divisor << endl;
    }
    return 0;
}
