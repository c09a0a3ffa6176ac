from collections.abc import Callable

from maxcode.generators.rewrites.arithmetic import trial_division

CODE = """
#include <cmath>
#include <iostream>
bool prime(int n) {
    if (n < 2) return false;
    for (int i = 2; i < n; i++) {
        if (n % i == 0) return false;
    }
    return true;
}
bool also_prime(int n) {
    bool result = n > 1;
    for (int i = 2; i <= n / 2; ++i)
        if (!(n % i)) {
            result = false;
            break;
        }
    return result;
}
int main() {
    for (int n = 0; n < 60; n++) std::cout << prime(n) << also_prime(n);
}
"""


def test_stops_at_the_root(same_output: Callable[..., str]) -> None:
    text = same_output(trial_division, CODE)
    assert text.count("static_cast<long long>(i) * i <= n") == 2


def test_leaves_counts_and_sums_of_divisors_alone(applied: Callable[..., list[str]]) -> None:
    for action in ("count++;", "sum += i;", "v.push_back(i);"):
        code = f"int main() {{ for (int i = 2; i < n; i++) if (n % i == 0) {action} }}"
        assert applied(trial_division, code) == []
