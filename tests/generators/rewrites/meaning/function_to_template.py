"""Programs that provoke function-to-template."""

from tests.generators.rewrites.meaning._cases import (
    counted,
    ints,
    line,
    one,
    plain,
    rows,
    sized,
    trap,
    words,
)

CASES = [
    plain(
        r"""
int apply_all(const vector<int>& v, function<int(int)> f) {
    int s = 0;
    for (int x : v) s += f(x);
    return s;
}
int main() {
    int n;
    cin >> n;
    vector<int> v(n);
    for (int& x : v) cin >> x;
    cout << apply_all(v, [](int x) { return x * 2; }) << " " << apply_all(v, [&](int x) { return x + n; }) << endl;
}
""",
        counted((0, 9), -99, 99),
        "2\n1 2\n",
    ),
    plain(
        r"""
int main() {
    int n;
    std::cin >> n;
    std::vector<std::vector<int>> g(n + 1);
    for (int i = 2; i <= n; ++i) { int p; std::cin >> p; g[p].push_back(i); }
    std::vector<int> size(n + 1, 1);
    std::function<void(int)> dfs = [&](int u) { for (int v : g[u]) { dfs(v); size[u] += size[v]; } };
    dfs(1);
    for (int i = 1; i <= n; ++i) std::cout << size[i] << ' ';
    std::cout << '\n';
}
""",
        sized(
            lambda rng, n: f"{n}\n" + " ".join(str(rng.randint(1, i - 1)) for i in range(2, n + 1)),
            (1, 9),
        ),
        "3\n1 1\n",
    ),
    plain(
        r"""
int main() {
    function<int(int, int)> gcd_ = [](int a, int b) { while (b) { int t = a % b; a = b; b = t; } return a; };
    int a, b;
    while (cin >> a >> b) cout << gcd_(a, b) << "\n";
}
""",
        rows((0, 5), ints(2, 0, 10**9), header=False),
        "4 6\n",
    ),
    trap(
        r"""
int main() {
    function<int(int)> f = [](int x) { return x + 1; };
    string op;
    int x;
    while (cin >> op >> x) {
        if (op == "double") f = [](int y) { return y * 2; };
        else if (op == "add") { auto g = f; f = [g, x](int y) { return g(y) + x; }; }
        else if (op == "none") f = nullptr;
        else if (!f) cout << "empty\n";
        else cout << f(x) << "\n";
    }
}
""",
        rows(
            (0, 9),
            line(one("double", "add", "none", "call", "call"), ints(1, -99, 99)),
            header=False,
        ),
        "call 5\n",
    ),
    trap(
        r"""
int run(function<int(int)> f, int x) {
    if (!f) return -1;
    return f(x);
}
int triple(int x) { return x * 3; }
int main() {
    int k, x;
    while (cin >> k >> x) {
        if (k == 0) cout << run(nullptr, x);
        else if (k == 1) cout << run(triple, x);
        else if (k == 2) cout << run([x](int y) { return x - y; }, 4);
        else cout << run(function<int(int)>(), x);
        cout << "\n";
    }
}
""",
        rows((0, 6), line(ints(1, 0, 3), ints(1, -9, 9)), header=False),
        "1 5\n2 5\n",
    ),
    trap(
        r"""
double twice(std::function<int(double)> f, double x) { return f(x) + f(x) / 2.0; }
long narrow(std::function<signed char(int)> f, int x) { return f(x); }
int main() {
    double x;
    while (std::cin >> x) {
        std::cout << twice([](double y) { return y * 1.5; }, x) << ' ';
        std::cout << narrow([](int y) { return y * 3; }, (int)x) << '\n';
    }
}
""",
        ints((0, 6), -200, 200),
        "2 4\n",
    ),
    trap(
        r"""
int call(function<int()> f) { auto g = f; int a = g(); return a * 100 + f(); }
int main() {
    int n;
    cin >> n;
    int base = n;
    auto counter = [k = n]() mutable { return k++; };
    cout << call(counter) << " " << counter() << " ";
    if (n > 3) { function<int()> h = counter; h(); cout << h() << counter() << call(h) << " "; }
    auto lam = [&base, seen = 0]() mutable { seen++; return base += seen; };
    cout << call(lam) << " " << lam() << endl;
}
""",
        ints(1, -9, 9),
        "1\n",
    ),
    trap(
        r"""
typedef function<void(const string&)> Handler;
map<string, Handler> handlers;
void on(const string& name, Handler h) { handlers[name] = h; }
int main() {
    int total = 0;
    on("add", [&](const string& a) { total += a.size(); });
    on("show", [&](const string&) { cout << total << "\n"; });
    on("swap", [&](const string&) { swap(handlers["add"], handlers["show"]); });
    string c, a;
    while (cin >> c >> a) {
        auto it = handlers.find(c);
        if (it == handlers.end()) cout << "unknown\n"; else { Handler h = it->second; h(a); }
    }
}
""",
        rows((0, 9), line(one("add", "show", "swap", "what"), words(1)), header=False),
        "add ab\nshow x\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    vector<function<int(int)>> fs;
    for (int i = 0; i < n; i++) fs.push_back([i](int x) { return x * i + 1; });
    function<int(int)> compose = [](int x) { return x; };
    for (auto& f : fs) compose = [f, compose](int x) { return compose(f(x)) % 1009; };
    reverse(fs.begin(), fs.end());
    int x = 2;
    for (auto f : fs) x = f(x) % 1009;
    cout << compose(2) << " " << x << endl;
    function<int(int)> fib = [&](int k) { return k < 2 ? k : fib(k - 1) + fib(k - 2); };
    auto copy = fib;
    fib = [](int) { return 1; };
    cout << copy(n) << endl;
}
""",
        ints(1, 0, 9),
        "0\n",
        "1\n",
    ),
    trap(
        r"""
struct Button {
    function<void()> click;
    void press() { if (click) click(); else cout << "nothing\n"; }
};
void each(int n, function<bool(int)> visit) { for (int i = 0; i < n; i++) if (!visit(i)) return; }
bool stop_at_two(int i) { cout << i << " "; return i != 2; }
int main() {
    int n;
    cin >> n;
    Button b;
    b.press();
    b.click = [&] { cout << "click " << n << "\n"; if (n > 4) b.click = [] { cout << "gone\n"; }; };
    b.press();
    b.press();
    each(n, stop_at_two);
    each(n, [&](int i) { n -= i; return n; });
    cout << n << endl;
}
""",
        ints(1, 0, 9),
        "1\n",
    ),
    trap(
        r"""
int apply(function<int(int)> f, int x) { return f(x); }
int apply(int (*f)(int), int x) { return f(x) + 1000; }
int neg(int x) { return -x; }
struct Acc { int t = 0; int operator()(int x) { return t += x; } };
int fold(function<int(int)> f, int n) { int r = 0; for (int i = 0; i < n; i++) r = f(i); return r; }
int main() {
    int x;
    Acc a;
    while (cin >> x) {
        cout << apply(neg, x) << " " << apply(function<int(int)>(neg), x) << " ";
        cout << fold(a, x % 5) << " " << fold(ref(a), x % 4) << " " << a.t << "\n";
    }
}
""",
        ints((0, 5), 0, 20),
        "\n",
        "0\n",
    ),
    trap(
        r"""
int main() {
    int n, calls = 0;
    cin >> n;
    function<long long(int)> f = [&](int k) -> long long {
        calls++;
        if (k > 30) throw runtime_error("deep");
        if (k <= 0) return 1;
        return f(k - 2) + (k % 2 ? f(k - 3) : 0);
    };
    try { cout << f(n); } catch (const runtime_error& e) { cout << e.what(); }
    function<long long(int)> empty;
    try { if (n > 9) cout << empty(n); } catch (const bad_function_call&) { cout << " bad call"; }
    cout << " " << calls << endl;
}
""",
        ints(1, -3, 35),
        "5\n",
    ),
]
