"""Programs that provoke delayed-root."""

from tests.generators.rewrites.meaning._cases import (
    counted,
    ints,
    line,
    one,
    plain,
    rows,
    sized,
    trap,
)

PTS = rows((0, 8), ints(2, -1000, 1000))
CASES = [
    plain(
        r"""
int main() {
    int n;
    cin >> n;
    vector<double> x(n), y(n);
    for (int i = 0; i < n; i++) cin >> x[i] >> y[i];
    double best = 1e18;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            double d = sqrt((x[i] - x[j]) * (x[i] - x[j]) + (y[i] - y[j]) * (y[i] - y[j]));
            if (d < best) best = d;
        }
    printf("%.6f\n", best);
}
""",
        PTS,
        "2\n0 0\n3 4\n",
    ),
    plain(
        r"""
struct P { int x, y; };
double dist(P a, P b) { return std::sqrt(double(a.x - b.x) * (a.x - b.x) + double(a.y - b.y) * (a.y - b.y)); }
int main() {
    int n;
    std::cin >> n;
    std::vector<P> p(n);
    for (auto& q : p) std::cin >> q.x >> q.y;
    double far = 0;
    for (auto& a : p) for (auto& b : p) far = std::max(far, dist(a, b));
    std::cout << std::fixed << std::setprecision(3) << far << '\n';
}
""",
        PTS,
        "2\n0 0\n3 4\n",
    ),
    plain(
        r"""
int main() {
    int n, r, c = 0;
    cin >> n >> r;
    while (n--) {
        int x, y;
        cin >> x >> y;
        if (sqrt(x * x + y * y) <= r) c++;
    }
    cout << c << endl;
}
""",
        sized(
            lambda rng, n: (
                f"{n} {rng.randint(0, 1500)}\n" + rows(n, ints(2, -999, 999), header=False)(rng)
            ),
            (0, 8),
        ),
        "2 5\n3 4\n5 5\n",
    ),
    trap(
        r"""
int main() {
    int n; double r;
    cin >> n >> r;
    int c = 0;
    while (n--) {
        double x, y;
        cin >> x >> y;
        if (sqrt(x * x + y * y) < r) c++;
    }
    cout << c << "\n";
}
""",
        sized(
            lambda rng, n: (
                f"{n} {rng.choice(['-1', '-5', '0', '3', '2.5', 'inf'])}\n"
                + rows(n, ints(2, -3, 3), header=False)(rng)
            ),
            (0, 8),
        ),
        "2 5\n3 4\n1 1\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    double limit = 0.7;
    int near = 0;
    vector<pair<double, double>> p(n);
    for (auto& q : p) cin >> q.first >> q.second;
    for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) {
        double dx = p[i].first - p[j].first, dy = p[i].second - p[j].second;
        if (sqrt(dx * dx + dy * dy) <= limit) near++;
    }
    cout << near << endl;
}
""",
        rows(
            (0, 8),
            line(one("0", "0.7", "0.1", "0.8", "1.4", "0.3"), one("0", "0.7", "0.1", "0", "0")),
        ),
        "2\n0 0\n3 4\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    float best = 1e9f;
    int at = -1;
    for (int i = 0; i < n; i++) {
        float x, y;
        cin >> x >> y;
        float d = sqrtf(x * x + y * y);
        if (d < best) { best = d; at = i; }
    }
    cout << at << endl;
}
""",
        rows((0, 9), ints(2, 4999, 5003)),
        "2\n3 4\n0 1\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    double best = -1;
    int ties = 0;
    for (int i = 0; i < n; i++) {
        long long x, y;
        cin >> x >> y;
        double d = sqrt((double)(x * x + y * y));
        if (d > best) { best = d; ties = 1; }
        else if (d == best) ties++;
    }
    cout << ties << "\n";
    printf("%.17g\n", best);
}
""",
        rows((0, 9), ints(2, 10**9 - 3, 10**9)),
        "2\n3 4\n4 3\n",
    ),
    trap(
        r"""
int main() {
    int n;
    std::cin >> n;
    double shortest = 100;
    for (int i = 0; i < n; ++i) {
        double a;
        std::cin >> a;
        double d = std::sqrt(a);
        if (d < shortest) shortest = d;
        if (!(d >= 0)) std::cout << "bad ";
    }
    std::cout << shortest << '\n';
}
""",
        rows((0, 6), one("4", "-1", "0", "9", "nan", "20000", "-0")),
        "2\n4\n9\n",
    ),
    trap(
        r"""
int calls = 0;
double sqrt(int x) { calls++; return x / 2.0; }
int main() {
    int n, c = 0;
    std::cin >> n;
    for (int i = 0; i < n; ++i) {
        int x;
        std::cin >> x;
        if (sqrt(x * x) < 4) c++;
    }
    std::cout << c << calls << '\n';
}
""",
        counted((0, 8), -9, 9),
        "2\n1 5\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    vector<pair<int, int>> p(n);
    for (auto& q : p) cin >> q.first >> q.second;
    double best = 1e9, sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            double d = sqrt(pow(p[i].first - p[j].first, 2) + pow(p[i].second - p[j].second, 2));
            sum += d;
            if (d < best) { best = d; cout << i << "-" << j << " " << d << "\n"; }
        }
    cout << sum << " " << best << endl;
}
""",
        rows((0, 6), ints(2, -9, 9)),
        "2\n0 0\n3 4\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    int best = INT_MAX;
    for (int i = 0; i < n; i++) {
        int x, y;
        cin >> x >> y;
        int d = sqrt(x * x + y * y);
        if (d < best) { best = d; cout << "at " << i << endl; }
    }
    cout << best << endl;
}
""",
        rows((0, 8), ints(2, -9, 9)),
        "2\n3 4\n0 1\n",
    ),
    trap(
        r"""
double d2(double x, double y) { return sqrt(x * x + y * y); }
int main() {
    double x, y, best = numeric_limits<double>::infinity();
    int k = 0, at = -1;
    while (cin >> x >> y) {
        double d = d2(x, y);
        if (d < best) best = d, at = k;
        k++;
    }
    cout << at << " " << best << endl;
}
""",
        rows(
            (0, 6),
            line(
                one("1e200", "1e-200", "2e-200", "2e200", "3", "0"),
                one("1e200", "1e-200", "4", "0"),
            ),
            header=False,
        ),
        "3 4\n0 1\n",
    ),
    plain(
        r"""
int main() {
    int n;
    cin >> n;
    vector<pair<int, int>> p(n);
    for (int i = 0; i < n; i++) cin >> p[i].first >> p[i].second;
    double best = 1e18;
    for (int i = 0; i < n; i++) {
        for (int j = i + 1; j < n; j++) {
            int dx = p[i].first - p[j].first;
            int dy = p[i].second - p[j].second;
            double d = sqrt(dx * dx + dy * dy);
            best = min(best, d);
        }
    }
    printf("%.6f\n", best);
}
""",
        PTS,
        "2\n0 0\n3 4\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    vector<pair<int, int>> p(n);
    for (int i = 0; i < n; i++) cin >> p[i].first >> p[i].second;
    double best = 10;
    int count = 0;
    for (int i = 0; i < n; i++) {
        for (int j = i + 1; j < n; j++) {
            int dx = p[i].first - p[j].first;
            int dy = p[i].second - p[j].second;
            double d = sqrt(dx * dx + dy * dy);
            if (d < best) { best = d; count++; best -= 0.5; }
        }
    }
    printf("%.17g %d\n", best, count);
}
""",
        rows((0, 8), ints(2, -9, 9)),
        "1\n0 0\n",
    ),
    trap(
        r"""
int main() {
    int n;
    std::cin >> n;
    double best = -1.0;
    for (int i = 0; i < n; ++i) {
        double x, y;
        std::cin >> x >> y;
        double d = std::sqrt(x * x - y * y);
        if (d > best) best = d;
    }
    std::cout << best << '\n';
}
""",
        rows((0, 6), ints(2, -9, 9)),
        "2\n5 3\n5 4\n",
        "0\n",
    ),
]
