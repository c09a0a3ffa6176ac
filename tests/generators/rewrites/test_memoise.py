from collections.abc import Callable

from maxcode.generators.rewrites.functions import memoise

CODE = """
#include <iostream>
#include <vector>
long long ways(int n, int k) {
    if (n == 0) return 1;
    if (n < 0 || k == 0) return 0;
    return ways(n - k, k) + ways(n, k - 1);
}
int best(const std::vector<int>& w, int i, int room) {
    if (i == (int)w.size()) return 0;
    int skip = best(w, i + 1, room);
    return w[i] > room ? skip : std::max(skip, w[i] + best(w, i + 1, room - w[i]));
}
int main() {
    std::cout << ways(30, 30) << ' ' << best({3, 5, 8}, 0, 10) << ' ' << best({4, 4, 1}, 0, 10);
}
"""


def test_remembers_results(same_output: Callable[..., str]) -> None:
    text = same_output(memoise, CODE)
    assert "MemoTable<long long, 2> known;" in text
    assert "if (depth == 0) known.clear();" in text


def test_makes_exponential_time_linear(
    same_output: Callable[..., str], applied: Callable[..., list[str]]
) -> None:
    code = """
    #include <iostream>
    long long f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }
    int main() { std::cout << f(20); }
    """
    assert "f_computed" in same_output(memoise, code)


def test_leaves_functions_with_effects_alone(applied: Callable[..., list[str]]) -> None:
    for effect in ("cout << n;", "calls++;", "path.push_back(n);", "static int seen = 0;"):
        body = f"{effect} return n < 2 ? n : f(n - 1) + f(n - 2);"
        code = f"int calls; vector<int> path;\nint f(int n) {{ {body} }}"
        assert applied(memoise, code) == []


def test_leaves_single_recursion_and_real_arguments_alone(
    applied: Callable[..., list[str]],
) -> None:
    assert applied(memoise, "int f(int n) { return n ? n * f(n - 1) : 1; }") == []
    assert applied(memoise, "double f(double x) { return x < 1 ? x : f(x / 2) + f(x / 3); }") == []
