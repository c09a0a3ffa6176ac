"""Programs in favour of rewrites that apply to no example: the habit is what takes their time.

Each is read as ``(source, input)``. Who gains not even here gains nowhere.
"""

from __future__ import annotations

from random import Random

_RNG = Random(20)


def _numbers(count: int, most: int) -> str:
    return " ".join(str(_RNG.randrange(most)) for _ in range(count))


_BEGIN = "#include <bits/stdc++.h>\nusing namespace std;\n"

PROGRAMS: dict[str, tuple[str, str]] = {
    "bubble-to-sort": (
        _BEGIN
        + """int main() {
    int n; cin >> n; vector<int> v(n);
    for (int i = 0; i < n; i++) cin >> v[i];
    for (int i = 0; i < n - 1; i++)
        for (int j = 0; j < n - i - 1; j++)
            if (v[j] > v[j + 1]) swap(v[j], v[j + 1]);
    for (int i = 0; i < n; i++) cout << v[i] << ' ';
}
""",
        f"4000 {_numbers(4000, 10**6)}",
    ),
    "linear-find-to-set": (
        _BEGIN
        + """int main() {
    int n; cin >> n; vector<int> different;
    for (int i = 0; i < n; i++) {
        int value; cin >> value;
        if (find(different.begin(), different.end(), value) == different.end()) {
            different.push_back(value);
        }
    }
    cout << different.size() << '\\n';
}
""",
        f"10000 {_numbers(10000, 10**6)}",
    ),
    "erase-front-to-deque": (
        _BEGIN
        + """int main() {
    int n; cin >> n; vector<int> queue; long long sum = 0;
    for (int i = 0; i < n; i++) queue.push_back(i);
    for (int i = 0; i < 3 * n; i++) {
        int x = queue[0];
        queue.erase(queue.begin());
        sum = sum * 31 + x;
        queue.push_back((x * 7 + i) % n);
    }
    cout << sum << '\\n';
}
""",
        "10000",
    ),
    "stringstream-to-reader": (
        _BEGIN
        + """int main() {
    string line; long long sum = 0;
    while (getline(cin, line)) {
        istringstream fields(line);
        string name; int n;
        fields >> name;
        while (fields >> n) sum += n * (long long)name.size();
    }
    cout << sum << '\\n';
}
""",
        "\n".join(f"name{i % 17} {_numbers(5, 1000)}" for i in range(20000)) + "\n",
    ),
    "function-to-template": (
        _BEGIN
        + """int main() {
    int n, step; cin >> n >> step; long long sum = 0;
    function<int(int)> mixed = [&](int x) { return (x ^ step) + 1; };
    for (int i = 0; i < n; i++) sum += mixed(i);
    cout << sum << '\\n';
}
""",
        "10000000 3",
    ),
    "popcount": (
        _BEGIN
        + """int bits(unsigned x) {
    int count = 0;
    while (x > 0) { count += x & 1; x >>= 1; }
    return count;
}
int main() {
    int n; cin >> n; long long sum = 0;
    for (int i = 0; i < n; i++) sum += bits(i * 2654435761u);
    cout << sum << '\\n';
}
""",
        "1000000",
    ),
    "const-globals": (
        _BEGIN
        + """long long MOD = 1000000007;
int main() {
    int n; cin >> n; long long x = 1;
    for (int i = 0; i < n; i++) x = (x * 31 + i) % MOD;
    cout << x << '\\n';
}
""",
        "10000000",
    ),
    "unchecked-access": (
        _BEGIN
        + """int main() {
    int n; cin >> n; vector<int> v(n); long long sum = 0;
    for (int i = 0; i < n; i++) v.at(i) = i * 7 % 1000;
    for (int round = 0; round < 100; round++)
        for (int i = 0; i < n; i++) sum += v.at((i * 31LL + round) % n);
    cout << sum << '\\n';
}
""",
        "100000",
    ),
    "unlocked-stdio": (
        _BEGIN
        + """int main() {
    int c; long long sum = 0;
    while ((c = getchar()) != EOF) { putchar(c ^ 1); sum += c; }
    printf("%lld\\n", sum);
}
""",
        _numbers(150000, 10**6),
    ),
    "hoist-local-buffer": (
        _BEGIN
        + """int main() {
    int n; cin >> n; long long sum = 0;
    for (int i = 0; i < n; i++) {
        vector<int> seen(64);
        for (int j = 0; j < 8; j++) seen[(i * 7 + j * j) % 64]++;
        sum += seen[i % 64];
    }
    cout << sum << '\\n';
}
""",
        "500000",
    ),
    "row-reference": (
        _BEGIN
        + """int main() {
    int n; cin >> n; vector<vector<char>> grid(n, vector<char>(n, 1));
    for (int round = 0; round < 20; round++)
        for (int i = 1; i < n; i++)
            for (int j = 1; j < n; j++)
                grid[i][j] = (grid[i][j - 1] ^ grid[i - 1][j]) + j;
    cout << int(grid[n - 1][n - 1]) << '\\n';
}
""",
        "700",
    ),
    "cache-results": (
        _BEGIN
        + """long long cost(int n) {
    long long sum = 0;
    for (int i = 1; i <= n; i++) sum += n % i;
    return sum;
}
int main() {
    int n; cin >> n; long long sum = 0;
    for (int i = 0; i < n; i++) sum += cost(1000 + i % 50);
    cout << sum << '\\n';
}
""",
        "20000",
    ),
    "range-reference": (
        _BEGIN
        + """int main() {
    int n; cin >> n; vector<string> words; size_t sum = 0;
    for (int i = 0; i < n; i++) words.push_back("a word that is not short " + to_string(i));
    for (int round = 0; round < 20; round++)
        for (auto word : words) sum += word.size() + word[round];
    cout << sum << '\\n';
}
""",
        "50000",
    ),
}
