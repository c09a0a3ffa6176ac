from collections.abc import Callable

from maxcode.generators.rewrites.functions import ConstGlobals

CODE = """
#include <iostream>
long long MOD = 1000000007;
int limit = 3;
int main() {
    std::cin >> limit;
    long long x = 1;
    for (int i = 0; i < limit; i++) x = x * 31 % MOD;
    std::cout << x;
}
"""


def test_fixes_what_never_changes(same_output: Callable[..., str]) -> None:
    text = same_output(ConstGlobals(), CODE, "40")
    assert "const long long MOD" in text
    assert "const int limit" not in text


def test_leaves_what_changes_alone(applied: Callable[..., list[str]]) -> None:
    for change in ("n++;", "n = 2;", "cin >> n;", "set(&n);", "auto& m = n; m = 2;"):
        assert applied(ConstGlobals(), f"int n = 1;\nint main() {{ {change} }}") == []
