// Answers questions about the primes in an interval, by the sieve of Eratosthenes.
#include <cmath>
#include <iostream>
#include <set>

using namespace std;

set<int> find_composites(int limit) {
    set<int> composite;
    for (int i = 2; i <= sqrt(limit); i++) {
        if (composite.count(i) == 0) {
            for (int multiple = i * i; multiple <= limit; multiple += i) {
                composite.insert(multiple);
            }
        }
    }
    return composite;
}

int main() {
    int limit, questions;
    cin >> limit >> questions;
    set<int> composite = find_composites(limit);

    for (int q = 0; q < questions; q++) {
        int low, high;
        cin >> low >> high;

        int found = 0;
        int previous = 0;
        int widest_gap = 0;
        for (int x = max(low, 2); x <= high; x++) {
            if (composite.count(x) == 0) {
                found++;
                if (previous != 0 && x - previous > widest_gap) {
                    widest_gap = x - previous;
                }
                previous = x;
            }
        }
        cout << found << " " << widest_gap << endl;
    }
    return 0;
}
