// Goes along the rows of the second matrix.
#include <iomanip>
#include <iostream>
#include <vector>

using namespace std;

int main() {
    int n;
    unsigned seed;
    cin >> n >> seed;
    vector<vector<double>> a(n, vector<double>(n)), b = a, c = a;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            seed = seed * 1664525u + 1013904223u;
            a[i][j] = (seed >> 16) / 65536.0;
            seed = seed * 1664525u + 1013904223u;
            b[i][j] = (seed >> 16) / 65536.0;
        }
    }

    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n; k++) {
            for (int j = 0; j < n; j++) {
                c[i][j] += a[i][k] * b[k][j];
            }
        }
    }

    double trace = 0, sum = 0, largest = 0;
    for (int i = 0; i < n; i++) {
        trace += c[i][i];
        for (int j = 0; j < n; j++) {
            sum += c[i][j];
            if (c[i][j] > largest) {
                largest = c[i][j];
            }
        }
    }
    cout << fixed << setprecision(4);
    cout << trace << endl << sum << endl << largest << endl;
    return 0;
}
