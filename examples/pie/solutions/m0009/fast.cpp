// Goes along four rows of the second matrix at once, so that sums are stored less often.
#include <algorithm>
#include <cstdio>
#include <vector>

int main() {
    int n;
    unsigned seed;
    if (std::scanf("%d %u", &n, &seed) != 2) {
        return 1;
    }
    std::vector<double> a(n * n), b(n * n), row(n);
    for (int i = 0; i < n * n; i++) {
        seed = seed * 1664525u + 1013904223u;
        a[i] = (seed >> 16) / 65536.0;
        seed = seed * 1664525u + 1013904223u;
        b[i] = (seed >> 16) / 65536.0;
    }

    double trace = 0, sum = 0, largest = 0;
    for (int i = 0; i < n; i++) {
        std::fill(row.begin(), row.end(), 0.0);
        int k = 0;
        for (; k + 4 <= n; k += 4) {
            const double* factors = &a[i * n + k];
            const double* other = &b[k * n];
            for (int j = 0; j < n; j++) {
                row[j] += factors[0] * other[j] + factors[1] * other[j + n] +
                          factors[2] * other[j + 2 * n] + factors[3] * other[j + 3 * n];
            }
        }
        for (; k < n; k++) {
            for (int j = 0; j < n; j++) {
                row[j] += a[i * n + k] * b[k * n + j];
            }
        }
        trace += row[i];
        for (double element : row) {
            sum += element;
            largest = std::max(largest, element);
        }
    }
    std::printf("%.4f\n%.4f\n%.4f\n", trace, sum, largest);
    return 0;
}
