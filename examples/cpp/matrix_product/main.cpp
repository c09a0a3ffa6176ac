// Multiplies two square matrices and prints the largest entry of each row of the product.
#include <cstdio>
#include <iostream>
#include <vector>

using namespace std;

typedef vector<vector<double>> Matrix;

Matrix make_matrix(int n, long long seed) {
    Matrix m(n, vector<double>(n));
    long long state = seed;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            state = (state * 1103515245 + 12345) % 2147483648LL;
            m[i][j] = state / 2147483648.0 - 0.5;
        }
    }
    return m;
}

Matrix multiply(Matrix a, Matrix b) {
    int n = a.size();
    Matrix c(n, vector<double>(n, 0.0));
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            for (int k = 0; k < n; k++) {
                c[i][j] += a[i][k] * b[k][j];
            }
        }
    }
    return c;
}

double largest(vector<double> row) {
    double best = row[0];
    for (size_t i = 1; i < row.size(); i++) {
        if (row[i] > best) {
            best = row[i];
        }
    }
    return best;
}

int main() {
    int n;
    long long seed_a, seed_b;
    cin >> n >> seed_a >> seed_b;

    Matrix a = make_matrix(n, seed_a);
    Matrix b = make_matrix(n, seed_b);
    Matrix c = multiply(a, b);
    for (int i = 0; i < n; i++) {
        printf("%.9f\n", largest(c[i]));
    }
    return 0;
}
