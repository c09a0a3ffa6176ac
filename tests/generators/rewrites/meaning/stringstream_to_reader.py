"""Programs that provoke stringstream-to-reader."""

from tests.generators.rewrites.meaning._cases import ints, line, one, plain, rows, trap, words

CASES = [
    plain(
        r"""
int main() {
    string line;
    while (getline(cin, line)) {
        stringstream ss(line);
        int x, s = 0;
        while (ss >> x) s += x;
        cout << s << "\n";
    }
}
""",
        rows((0, 5), ints((0, 5), -999, 999), header=False),
        "1 2\n3\n",
    ),
    plain(
        r"""
int main() {
    std::string line, w;
    while (std::getline(std::cin, line)) {
        std::istringstream in(line);
        int n = 0;
        while (in >> w) { ++n; if (w.size() > 2) std::cout << w << ' '; }
        std::cout << n << '\n';
    }
}
""",
        words((0, 5), "ab \t", (0, 9), "\n"),
        "ab abc\n",
    ),
    plain(
        r"""
vector<string> split(const string& s, char sep) {
    vector<string> parts;
    stringstream ss(s);
    string item;
    while (getline(ss, item, sep)) parts.push_back(item);
    return parts;
}
int main() {
    string line;
    while (getline(cin, line)) { for (auto& p : split(line, ',')) cout << "<" << p << ">"; cout << endl; }
}
""",
        words((0, 5), "ab,, ", (0, 9), "\n"),
        "a,b\n",
    ),
    trap(
        r"""
int main() {
    string line;
    while (getline(cin, line)) {
        stringstream ss(line);
        int x = -1, k = 0;
        while (ss >> x) k++;
        cout << k << " " << x << (ss.eof() ? "" : " junk");
        ss.clear();
        string rest;
        getline(ss, rest);
        cout << "[" << rest << "]\n";
    }
}
""",
        rows(
            (0, 5),
            one("1 2", "", "1 x 2", "+5 007", "99999999999 3", "5,6", "- 4", "3.5", "-", "0x10"),
            header=False,
        ),
        "1 2\n",
    ),
    trap(
        r"""
int main() {
    string s;
    while (cin >> s) {
        stringstream ss(s);
        int n = 0; char c = '?'; double d = -1;
        ss >> n >> c >> d;
        cout << n << c << d << ss.fail() << endl;
    }
}
""",
        words((0, 6), "1-+.e0x", (1, 7)),
        "1x2.5\n",
    ),
    trap(
        r"""
int main() {
    std::string line;
    std::getline(std::cin, line);
    std::stringstream ss(line);
    int a, b;
    ss >> a >> b;
    std::cout << a + b << '\n';
    ss << " 9";
    int c = 0;
    ss.clear();
    if (ss >> c) std::cout << c << ' ';
    std::cout << ss.str() << ss.tellg() << '\n';
    ss.str("7 8");
    ss.clear();
    while (ss >> c) std::cout << c << '\n';
}
""",
        one("1 2", "1 2 ", "1 2 3", "+1 +2", "1 2x"),
        "1 2\n",
    ),
    trap(
        r"""
int main() {
    string line;
    while (getline(cin, line)) {
        istringstream is(line);
        string key, value;
        getline(is, key, '=');
        is >> ws;
        getline(is, value);
        cout << key << "->" << value << (is.eof() ? "." : "") << is.peek() << "\n";
    }
}
""",
        words((0, 5), "ab= ", (0, 9), "\n"),
        "a=b\n",
    ),
    trap(
        r"""
int parse(stringstream& ss) { int v = 0; ss >> v; char op; while (ss >> op) { int w; if (!(ss >> w)) return -1; v = op == '+' ? v + w : op == '*' ? v * w % 1000 : v - w; } return v; }
int main() {
    string line;
    while (getline(cin, line)) {
        stringstream ss(line);
        if (ss.peek() == 'q') break;
        cout << parse(ss) << endl;
    }
}
""",
        rows(
            (0, 4),
            one("1+2", "3 * 4-5", "7", "2 + + 3", "1-1-1", "5 +", "q", "10*10*10*10"),
            header=False,
        ),
        "1 + 2\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    stringstream ss;
    for (int i = 0; i < n; i++) { string w; cin >> w; ss << w << (i % 2 ? "" : " "); }
    string t;
    int k = 0;
    while (ss >> t) { cout << t << "\n"; if (++k == 2) ss << "tail"; if (k > 20) break; }
    ostringstream os;
    os << hex << n * 17 << setw(5) << k;
    cout << os.str() << endl;
}
""",
        rows((0, 6), words(1)),
        "1\nab\n",
    ),
    trap(
        r"""
int main() {
    string line;
    getline(cin, line);
    stringstream ss(line);
    vector<int> v{istream_iterator<int>(ss), istream_iterator<int>()};
    for (int x : v) cout << x << " ";
    cout << endl;
    stringstream hs(line);
    hs >> hex;
    unsigned u = 0; int k = 0;
    while (hs >> u) { cout << u << ","; if (++k == 2) hs >> dec; }
    bool b = false; stringstream bs(line);
    bs >> boolalpha >> b;
    cout << b << bs.fail() << endl;
}
""",
        one("1 2 3", "", "10 20 30", "ff 1", "true 1", "7 8 9 a"),
        "1 2 3\n",
    ),
    trap(
        r"""
int main() {
    string line;
    while (getline(cin, line)) {
        stringstream ss(line);
        unsigned u; short s; unsigned char c; bool f; float x;
        if (ss >> u) cout << u << "u ";
        if (ss >> s) cout << s << "s ";
        if (ss >> c) cout << c << "c ";
        if (ss >> f) cout << f << "f ";
        if (ss >> x) cout << setprecision(9) << x << "x ";
        cout << (bool)ss << "\n";
    }
}
""",
        rows(
            (0, 4),
            line(
                one("1", "-1", "4294967296"),
                one("5", "40000"),
                one("7", "x y"),
                one("1", "0", "2"),
                one("0.1", "1e39", "nan"),
            ),
            header=False,
        ),
        "1 5 7 1 0.5\n",
    ),
    trap(
        r"""
struct P { int x, y; };
istream& operator>>(istream& in, P& p) { char a, b, c; return in >> a >> p.x >> b >> p.y >> c; }
int main() {
    string line;
    while (getline(cin, line)) {
        istringstream in(line);
        in.exceptions(ios::badbit);
        P p{0, 0};
        int k = 0;
        while (in >> p) { k++; cout << p.x - p.y << ' '; }
        line = "x" + line;
        int at = in.eof() ? -1 : (int)in.tellg();
        cout << k << at << line.size() << endl;
    }
}
""",
        rows((0, 4), one("(1,2)", "(1, 2) (3 ,4)", "", "(5,6", "x", "(1;2) [3:4]"), header=False),
        "(1,2)\n",
    ),
]
