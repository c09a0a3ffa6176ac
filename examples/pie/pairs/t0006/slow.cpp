// Sorts numbers by exchanging neighbours.
#include <iostream>
#include <vector>

using namespace std;

int main() {
    int n;
    cin >> n;
    vector<int> values(n);
    for (int i = 0; i < n; i++) {
        cin >> values[i];
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j + 1 < n; j++) {
            if (values[j] > values[j + 1]) {
                swap(values[j], values[j + 1]);
            }
        }
    }
    for (int i = 0; i < n; i++) {
        cout << values[i] << endl;
    }
    return 0;
}
