from collections.abc import Callable

from maxcode.generators.rewrites.lookups import RowReference

CODE = """
#include <iostream>
#include <vector>
using namespace std;
int main() {
    int n = 4;
    vector<vector<int>> dp(n + 1, vector<int>(n + 1, 1));
    for (int i = 1; i <= n; i++)
        for (int j = 1; j <= n; j++) dp[i][j] = dp[i - 1][j] + dp[i][j - 1];
    cout << dp[n][n];
}
"""


def test_looks_rows_up_before_the_loop(same_output: Callable[..., str]) -> None:
    text = same_output(RowReference(), CODE)
    assert "auto&& row_1 = dp[i];" in text
    assert "row_1[j] = row_2[j] + row_1[j - 1]" in text


def test_leaves_rows_that_change_alone(applied: Callable[..., list[str]]) -> None:
    for loop in ("t[j][0] = 1;", "{ t[i][j] = 1; t.push_back({}); }", "{ t[i][j] = 1; i++; }"):
        code = f"int main() {{ vector<vector<int>> t; for (int j = 0; j < n; j++) {loop} }}"
        assert applied(RowReference(), code.replace("main() {", "main() { int i = 0;")) == []
