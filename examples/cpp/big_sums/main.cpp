// Reads a ledger of payments and answers: how much was paid in amounts of at least x?
#include <iomanip>
#include <iostream>
#include <list>

using namespace std;

int main() {
    int payments, questions;
    cin >> payments >> questions;

    list<long double> amounts;
    for (int i = 0; i < payments; i++) {
        long double amount;
        cin >> amount;
        amounts.push_back(amount);
    }

    cout << fixed << setprecision(2);
    for (int q = 0; q < questions; q++) {
        long double threshold;
        cin >> threshold;

        long double sum = 0;
        int number = 0;
        for (long double amount : amounts) {
            if (amount >= threshold) {
                sum += amount;
                number++;
            }
        }
        cout << number << " " << sum << endl;
    }
    return 0;
}
