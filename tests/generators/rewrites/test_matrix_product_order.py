from collections.abc import Callable

from maxcode.generators.rewrites.loops import matrix_product_order

CODE = """
#include <iostream>
#include <vector>
using namespace std;
typedef vector<vector<long long>> M;
M product(const M& a, const M& b) {
    int n = a.size();
    M c(n, vector<long long>(n));
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            long long sum = 0;
            for (int k = 0; k < n; k++) {
                sum += a[i][k] * b[k][j];
            }
            c[i][j] = sum % 1000;
        }
    }
    return c;
}
int main() {
    int x[3][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 10}}, y[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            y[i][j] = 0;
            for (int k = 0; k < 3; k++) y[i][j] += x[i][k] * x[k][j];
        }
    M m = product({{1, 2}, {300, 400}}, {{500, 6}, {7, 8}});
    cout << m[0][0] << ' ' << m[1][1] << ' ' << y[2][1] << ' ' << y[1][2];
}
"""


def test_sums_a_row_at_once(same_output: Callable[..., str]) -> None:
    text = same_output(matrix_product_order, CODE)
    assert "sum_row[j] += a[i][k] * b[k][j];" in text
    assert "c[i][j] = sum_row[j] % 1000;" in text


def test_leaves_sums_along_rows_alone(applied: Callable[..., list[str]]) -> None:
    code = CODE.replace("b[k][j]", "b[j][k]").replace("x[k][j]", "x[j][k]")
    assert applied(matrix_product_order, code) == []
