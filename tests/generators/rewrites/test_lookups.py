"""Where the rewrites of searches and comparisons apply, and what they leave alone."""

from collections.abc import Callable, Sequence

import pytest

from maxcode.generators.rewrites import Rewrite
from maxcode.generators.rewrites.lookups import (
    compare_in_place,
    linear_find_to_set,
    single_lookup,
    unchecked_access,
)

CASES: dict[Rewrite, tuple[str, Sequence[str], Sequence[str | tuple[str, str]]]] = {
    linear_find_to_set: (
        """
        int main() {
            std::vector<std::string> seen;
            std::string word;
            while (std::cin >> word) {
                if (std::find(seen.begin(), seen.end(), word) == seen.end()) seen.push_back(word);
            }
            for (const std::string& s : seen) std::cout << s;
            if (find(seen.begin(), seen.end(), "b") != seen.end()) word = seen[0];
            /**/
        }""",
        [
            "std::unordered_set<std::string> seen_known;", "seen_known.count(word) == 0",
            "seen.push_back(word), seen_known.insert(seen.back())", 'seen_known.count("b") != 0',
        ],
        [
            "seen.pop_back();", "seen[0] = word;", "seen.clear();", "f(seen);", "seen[0] += word;",
            "sort(seen.begin(), seen.end());", "auto& first = seen[0];", "*seen.begin() = word;",
            "for (auto& s : seen) s = word;", "auto it = seen.begin();",
            "std::swap(seen[0], word);",
            "seen.back() = word;", "auto copy = seen;", "auto f = [seen] { return 1; };",
            "std::string_view w; bool b = find(seen.begin(), seen.end(), w) == seen.end();",
            "auto it = find(seen.begin(), seen.end(), word);", "std::string& s = seen[0];",
            ("std::vector<std::string> seen", "static std::vector<std::string> seen"),
            ("std::vector<std::string> seen", "std::vector<double> seen"),
            ("std::vector<std::string> seen;", "std::vector<std::string> seen(3);"),
            ("int main", "template <class I> I find(I a, I b, int c); int main"),
        ],
    ),
    single_lookup: (
        """
        struct E { int key; };
        int main() {
            std::map<std::string, int> m; std::unordered_map<int, long long> n; E e; std::string w;
            int sold;
            if (m.find(w) == m.end()) { m[w] = 1; } else { m[w] = m[w] + 1; }
            if (n.count(e.key)) n[e.key] += sold; else n[e.key] = sold;
        }""",
        ["++m[w];", "n[e.key] += sold;"],
        [
            ("std::map<std::string, int> m; std::unordered_map<int, long long> n;", declared)
            for declared in (
                "std::map<std::string, double> m; std::map<int, double> n;",
                "std::map<std::string, bool> m, n;", "Own m, n;", "std::map<int, Own> m, n;",
                "auto m = f(); auto n = g();",
            )
        ],
    ),
    unchecked_access: (
        "int main() { std::vector<int> v; std::map<int, int> m; v.at(1) = m.at(1); /**/ }",
        ["v[1] = m.at(1)"],
        ["try { f(); } catch (const std::exception& e) { }"],
    ),
    compare_in_place: (
        """
        int main() {
            std::string s, t; int i = 0;
            bool b = s.substr(i, t.size()) == t || "n" != s.substr(i, 1);
            b = s.substr(i, 2) == t.substr(2, 2);
            /**/
        }""",
        [
            "s.compare(i, t.size(), t) == 0", 's.compare(i, 1, "n") != 0',
            "s.compare(i, 2, t, 2, 2) == 0",
        ],
        ["try { f(); } catch (...) { }", "struct string {};", "#define t s\n"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("rewrite", CASES, ids=lambda one: one.name)
def test_applies_where_it_is_proved(
    rewrite: Rewrite, applied: Callable[..., list[str]], broken_by: Callable[..., str]
) -> None:
    code, expected, traps = CASES[rewrite]
    text = applied(rewrite, code)[0]
    for piece in expected:
        assert piece in text
    for trap in traps:
        assert applied(rewrite, broken_by(code, trap)) == [], trap


@pytest.mark.parametrize(
    ("rewrite", "statement"),
    [
        (single_lookup, "if (m.count(w)) m[w]++; else m[w] = 5;"),
        (single_lookup, "if (m.count(w)) m[w] = 1; else m[w]++;"),
        (single_lookup, "if (m.count(w++)) m[w++]++; else m[w++] = 1;"),
        (single_lookup, "if (m.count(w)) m[w] += f(); else m[w] = f();"),
        (single_lookup, "if (m.count(w)) m[w] += m.size(); else m[w] = m.size();"),
        (single_lookup, "if (!m.count(w) == 0) m[w] = 1; else m[w]++;"),
        (compare_in_place, "bool b = s.substr(i) == s;"),
        (compare_in_place, "bool b = s.substr(i++, 2) == s;"),
        (compare_in_place, "bool b = own.substr(i, 2) == s;"),
        (compare_in_place, "bool b = s.substr(i, 2) == f(s);"),
        (compare_in_place, "bool b = s.substr(f(), 2) == s;"),
        (compare_in_place, "std::string_view v; bool b = v.substr(i, 2) == s;"),
    ],
)
def test_leaves_alone(rewrite: Rewrite, statement: str, applied: Callable[..., list[str]]) -> None:
    declared = "std::map<int, int> m; std::string s; int w = 0, i = 0; Own own;"
    assert applied(rewrite, f"int main() {{ {declared} {statement} }}") == []
