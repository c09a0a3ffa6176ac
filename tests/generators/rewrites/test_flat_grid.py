from collections.abc import Callable

from maxcode.generators.rewrites.containers import flat_grid

CODE = """
#include <iostream>
#include <vector>
using namespace std;
typedef vector<vector<int>> Table;
int trace(const Table& t) {
    int sum = 0;
    for (size_t i = 0; i < t.size() && i < t[i].size(); i++) sum += t[i][i];
    return sum;
}
int largest(vector<int> row) {
    int best = row[0];
    for (int x : row) best = max(best, x);
    return best;
}
Table filled(int n) {
    Table t(n, vector<int>(n));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) t[i][j] = i * n + j;
    return t;
}
int main() {
    Table t = filled(4), other(2, vector<int>(3, 7));
    vector<vector<long long>> dp(3, vector<long long>(4, -1));
    dp[2][3] += 5;
    cout << trace(t) << largest(t[1]) << other[1][2] << dp[2][3] << dp[0].size();
}
"""


def test_keeps_a_table_in_one_piece(same_output: Callable[..., str]) -> None:
    text = same_output(flat_grid, CODE)
    assert "typedef FlatGrid<int> Table;" in text
    assert "t(n, n)" in text
    assert "FlatGrid<long long> dp(3, 4, -1)" in text


def test_leaves_tables_that_change_their_shape_alone(applied: Callable[..., list[str]]) -> None:
    for use in ("t.push_back({1});", "t[0].push_back(1);", "t[0] = r;", "auto& r = t[0];"):
        code = f"int main() {{ vector<vector<int>> t(n, vector<int>(m, 0)); {use} }}"
        assert applied(flat_grid, code) == []
    assert applied(flat_grid, "vector<vector<int>> graph;") == []
