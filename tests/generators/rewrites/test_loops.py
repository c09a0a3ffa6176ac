"""Rewrites of loops: what each needs, and one change of it after another that takes that away."""

from collections.abc import Callable

import pytest

from maxcode.generators.rewrites.loops import (
    early_exit,
    hoist_local_buffer,
    hoist_loop_bound,
)
from maxcode.generators.rewrites.nests import (
    bubble_to_sort,
    loop_interchange,
    matrix_product_order,
)

HEAD = """
#include <cctype>
#include <cmath>
#include <cstring>
#include <iostream>
#include <string>
#include <vector>
using namespace std;
typedef vector<vector<double>> Matrix;
"""
EXIT = """
bool ordered(const vector<int>& a, int limit) {
    bool result = true;
    for (size_t i = 0; i + 1 < a.size(); i++) {
        int next = a[i + 1];
        if (a[i] > limit) {
            result = false;
        } else if (a[i] > next)
            result = false;
    }
    return result;
}
"""
BUFFER = """
int buffers(int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) {
        vector<int> counts(4, 1);
        vector<long long> more(i + 1);
        string s;
        counts[i % 4]++;
        s += "xy";
        more[i] = s.size();
        sum = sum * 3 + counts[2] + more[i] + more[0] + s.size();
    }
    return sum;
}
"""
BOUND = """
int digits(int n) { return n < 10 ? 1 : 1 + digits(n / 10); }
int capitals(char* text, int n) {
    int sum = 0;
    for (size_t i = 0; i < strlen(text); i++) text[i] = static_cast<char>(toupper(text[i]));
    if (n > 0)
        for (int i = 1; i <= sqrt(n); i++) sum += i;
    for (int d = 0; d < digits(n) && d < 5; d++) sum += d;
    return sum + text[1];
}
"""
SWAP = """
Matrix product(const Matrix& a, const Matrix& b, int n) {
    Matrix c(n, vector<double>(n));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++) c[i][j] += a[i][k] * b[k][j];
    return c;
}
"""
TOTAL = """
int total(const vector<vector<int>>& grid, int n) {
    int sum = 0;
    for (int x = 0; x < n; x++)
        for (int y = 0; y < n; y++) sum += grid[y][x];
    return sum;
}
"""
ROW = """
Matrix row_product(const Matrix& a, const Matrix& b, int n) {
    Matrix c(n, vector<double>(n));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++) sum += a[i][k] * b[k][j];
            c[i][j] = sum / 3;
        }
    return c;
}
"""
PLACE = (
    ROW.replace("row_", "place_")
    .replace("c[i][j] = sum / 3;", "")
    .replace("double sum", "c[i][j]")
    .replace("sum +=", "c[i][j] +=")
)
SORT = """
void sort_all(vector<int>& v, int* a, vector<string> w, int n) {
    for (int i = 0; i < n - 1; i++)
        for (int j = 0; j < n - i - 1; j++)
            if (v[j] > v[j + 1]) swap(v[j], v[j + 1]);
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++)
            if (a[i] < a[j]) {
                int t = a[i];
                a[i] = a[j];
                a[j] = t;
            }
}
"""
MAIN = r"""
int main() {
    int a[] = {3, -1, 7, 3};
    vector<int> v = {2, 9, -4, 2};
    char text[] = "lower";
    Matrix m = {{1, 2.5, -3}, {4, 0.1, 6}, {7, 8, 1e9}};
    cout.precision(17);
    cout << ordered(v, 100) << ordered({1, 2, 3}, 2) << ordered({1, 2}, 5) << ' ' << buffers(7);
    cout << ' ' << capitals(text, 12345) << text << ' ' << total({{1, 2147483647}, {2, -9}}, 2);
    for (const Matrix& c : {product(m, m, 3), row_product(m, m, 3), place_product(m, m, 3)})
        for (const auto& row : c)
            for (double x : row) cout << ' ' << x;
    cout << row_product(m, m, 0).size();
    sort_all(v, a, {}, 4);
    for (int x : v) cout << ' ' << x;
    for (int x : a) cout << ' ' << x;
}
"""
CASES = [
    (early_exit, EXIT, "{ result = false; break; }"),
    (hoist_local_buffer, BUFFER, "more.assign(i + 1, vector<long long>::value_type());"),
    (hoist_loop_bound, BOUND, "const auto bound_3 = digits(n);"),
    (loop_interchange, SWAP, "k++)\n            for (int j = 0; j < n; j++) c"),
    (loop_interchange, TOTAL, "sum = static_cast<int>(static_cast<unsigned long long>(sum) + "),
    (matrix_product_order, ROW, "c[i][j] = sum_row[j] / 3;"),
    (matrix_product_order, PLACE, "for (int k = 0; k < n; k++)\n"),
    (bubble_to_sort, SORT, "std::sort(&a[0], &a[0] + n, std::greater<>()); }"),
]


@pytest.mark.slow
def test_programs_print_the_same(same_printed: Callable[..., None]) -> None:
    code = "".join([HEAD, *(code for _, code, _ in CASES), MAIN])
    same_printed([rewrite for rewrite, _, _ in CASES], code, [part for *_, part in CASES])


COUNTS = """
int counted(int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) {
        vector<int> counts(4, 1);
        counts[i % 4]++;
        sum = sum * 3 + counts[2];
    }
    return sum;
}
"""
CAPITALS = """
int capitals(char* text, int n) {
    for (size_t i = 0; i < strlen(text); i++) text[i] = static_cast<char>(toupper(text[i]));
    return n;
}
"""
TRAPS = [
    # other effects in later rounds; a flag that is more than a flag
    (early_exit, EXIT, [
        ("result = false;\n        }", "result = false; limit++;\n        }"),
        ("result = false;\n        }", "result = true;\n        }"),
        ("if (a[i] > limit)", "if (limit++ > 9)"),
        ("int next = a[i + 1];", "int next; cin >> next;"),
        ("int next = a[i + 1];", "static int next = 0;"),
        ("int next = a[i + 1];", "int next = unknown(i);"),
        ("i + 1 < a.size(); i++", "i + 1 < a.size(); i++, limit++"),
        ("bool result = true;", "static bool result = true;"),
        ("bool result = true;", "bool kept = true; bool& result = kept;"),
        ("bool result = true;", "volatile bool result = true;"),
        ("bool ordered", "struct S { bool operator<(S); };\nbool ordered"),
        ("bool ordered", "#define next other\nbool ordered"),
    ]),
    # what the constructor would do otherwise; another variable of the name
    (hoist_local_buffer, COUNTS, [
        ("vector<int> counts(4, 1)", "const vector<int> counts(4, 1)"),
        ("vector<int> counts(4, 1)", "static vector<int> counts(4, 1)"),
        ("vector<int> counts(4, 1)", "vector<int> counts(w.begin(), w.end())"),
        ("vector<int> counts(4, 1)", "vector<int> counts(other)"),
        ("vector<int> counts(4, 1)", "vector<int> counts{4, 1}"),
        ("vector<int> counts(4, 1)", "vector<Unknown> counts(4, 1)"),
        ("vector<int> counts(4, 1)", "vector<int, Arena> counts(4, 1)"),
        ("vector<int> counts(4, 1)", "auto counts = vector<int>(4, 1)"),
        ("int counted", "template <class T> struct vector {};\nint counted"),
        ("i < n", "i < counts"),
    ]),
    # text that may get shorter; what the loop or a callee changes; not computed at all
    (hoist_loop_bound, CAPITALS, [
        ("toupper(text[i])", "toupper(text[i + 1])"),
        ("toupper(text[i])", "text[i] - 1"),
        ("text[i] = ", "text[i++] = "),
        ("i++) ", "i++, text++) "),
        ("int capitals", "int toupper(int c) { return 0; }\nint capitals"),
        ("int capitals", "#define strlen(x) (x[0])\nint capitals"),
        ("char* text, int n", "volatile char* text, int n"),
        ("text[i] = ", "char* other = text; other[i] = 0; text[i] = "),
    ]),
    (hoist_loop_bound, "int seen;\nint f(int n) {\n    int s = 0;\n"
        "    for (int i = 0; i <= sqrt(n); i++) s += i;\n    return s;\n}\n", [
        ("s += i", "s += n--"),
        ("int s = 0;", "int s = 0; int& r = n;"),
        ("int s = 0;", "int s = 0; auto shrink = [&] { n--; };"),
        ("int f(int n) {\n    int s = 0;", "int f(int& n, int& s) {"),
        ("s += i", "cin >> n"),
        ("s += i", "scanf(\"%d\", &n)"),
        ("i <= sqrt(n)", "i < 3 && i <= sqrt(n)"),
        ("i <= sqrt(n)", "(i < 3 ? 9 : sqrt(n)) > i"),
        ("int f(int n)", "double sqrt(int n) { return seen += n; }\nint f(int n)"),
        ("sqrt(n)", "unknown(n)"),
        ("sqrt(n)", "sqrt(i)"),
    ]),
    # places that meet, order that shows, sums of floating-point numbers
    (loop_interchange, SWAP, [
        ("+= a[i][k] * b[k][j]", "= c[i][k] + b[k][j]"),
        ("c[i][j] += a[i][k]", "c[i][j + k] += a[i][k]"),
        ("Matrix c(n, vector<double>(n));", "static Matrix c(n); auto& b = c;"),
        ("b, int n) {\n    Matrix c(n, vector<double>(n));", "b, Matrix& c, int n) {"),
        ("c[i][j] += a[i][k] * b[k][j]", "cout << b[k][j]"),
        ("c[i][j] += a[i][k] * b[k][j]", "c[i][j] += f(b[k][j])"),
        ("int k = 0; k < n", "int k = j; k < n"),
        ("int k = 0; k < n", "int k = 0; k < c.size()"),
        ("int k = 0; k < n; k++", "int k = 0; k < n; k++, n--"),
        ("c[i][j] += a[i][k] * b[k][j]", "{ c[i][j] += a[i][k] * b[k][j]; if (j) break; }"),
        ("for (int k", "int k; for (k"),
        ("Matrix product", "struct Row { double* operator[](int); };\nMatrix product"),
    ]),
    (loop_interchange, TOTAL, [
        ("int sum", "double sum"),
        ("int sum", "bool sum"),
        ("vector<vector<int>>", "Matrix"),
        ("sum += grid[y][x]", "sum = sum * 7 + grid[y][x]"),
        ("sum += grid[y][x]", "if (grid[y][x] > 3) sum = x"),
        ("sum += grid[y][x]", "sum += grid[y][x] / sum"),
        ("int sum = 0;", "int all = 0; int& sum = all;"),
    ]),
    (matrix_product_order, ROW, [
        ("c[i][j] = sum / 3", "c[i][j] = sum; a[i][j] = 0"),
        ("c[i][j] = sum / 3", "if (sum > 3) return c"),
        ("c[i][j] = sum / 3", "if (sum > 3) exit(0)"),
        ("sum += a[i][k]", "sum += c[i][k]"),
        ("double sum = 0", "double sum = j"),
        ("double sum = 0", "double sum = c[0][0]"),
        ("double sum = 0", "static double sum = 0"),
        ("int j = 0; j < n", "int j = -1; j < n"),
        ("Matrix c(n, vector<double>(n));", "Matrix& c = kept;"),
    ]),
    (matrix_product_order, PLACE, [
        ("c[i][j] = 0", "c[j][i] = 0"),
        ("c[i][j] = 0", "c[i][j] = c[i][0]"),
        ("+= a[i][k]", "+= c[i][k]"),
    ]),
    # not all sorted, not by the whole element, or equal ones that differ
    (bubble_to_sort, SORT[: SORT.index("    for (int i = 0; i < n; i++)")] + "}\n", [
        ("i < n - 1", "i < n - 2"),
        ("i < n - 1", "i < rounds"),
        ("int i = 0", "int i = 1"),
        ("int j = 0", "int j = 1"),
        ("n - i - 1", "n - i - 2"),
        ("v[j] > v[j + 1]", "v[j] % 10 > v[j + 1] % 10"),
        ("v[j] > v[j + 1]", "v[j] > v[j + 1] && i < 3"),
        ("v[j] > v[j + 1]", "v[j] > w[j + 1]"),
        ("swap(v[j], v[j + 1]);", "{ swap(v[j], v[j + 1]); n--; }"),
        ("swap(v[j], v[j + 1]);", "{ swap(v[j], v[j + 1]); break; }"),
        ("swap(v[j], v[j + 1]);", "{ short t = v[j]; v[j] = v[j + 1]; v[j + 1] = t; }"),
        ("vector<int>& v", "vector<double>& v"),
        ("vector<int>& v", "vector<Item>& v"),
        ("vector<int>& v", "deque<int>& v"),
        ("vector<int>& v", "auto& v"),
        ("void sort_all", "void swap(int& a, int& b) { a = b; }\nvoid sort_all"),
        ("void sort_all", "#define int short\nvoid sort_all"),
    ]),
]  # fmt: skip


def test_what_is_not_proved_is_left_alone(trapped: Callable[..., list[str]]) -> None:
    assert trapped(HEAD, TRAPS) == []
