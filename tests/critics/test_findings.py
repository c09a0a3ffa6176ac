"""The table of what makes programs slow: every entry is met by what it is meant for."""

import pytest

from maxcode.critics.findings import bottleneck, findings
from maxcode.evaluation import HotFunction, HotLine, Profile
from maxcode.program import Program

# Code, library function, the text of the rule that shall take it.
SEEN = [
    ("cout << x << endl;", "std::ostream::operator<<", "writing, with a flush at every line"),
    ("cin >> x;", "std::istream::operator>>", "reading through a stream"),
    ("cout << x;", "std::operator<<", "writing through a stream"),
    ('scanf("%d", &x);', "__isoc99_scanf", "reading with stdio"),
    ('printf("%d", x);', "printf", "writing with stdio"),
    ("f(v);", "std::vector::vector (copy)", "making, copying and freeing vectors"),
    ("t = s.substr(1);", "std::string::substr", "making, copying and freeing strings"),
    ("w = v;", "std::vector::operator= (copy)", "making, copying and freeing vectors"),
    ("vector<int> row(n);", "std::vector::vector", "making, copying and freeing vectors"),
    ("}", "std::vector::~vector", "making, copying and freeing vectors"),
    ("v.push_back(x);", "std::vector::push_back", "vectors that grow"),
    ("p = new Node;", "operator new", "allocating and freeing piece by piece"),
    ("memset(a, 0, n);", "memset", "copying or clearing memory"),
    ("v.erase(v.begin());", "std::vector::erase", "inserting or erasing amid"),
    ("m[k]++;", "std::map::operator[]", "a tree with a node for every element"),
    ("m[k]++;", "std::unordered_map::operator[]", "hash tables"),
    ("sort(v.begin(), v.end());", "std::sort", "sorting"),
    ("find(v.begin(), v.end(), x);", "std::find", "searching one element after another"),
    ("x = sqrt(y);", "sqrt", "functions of the mathematical library"),
    ("x = sin(y);", "sin", "functions of the mathematical library"),
    ("x = y % m;", "", "division or remainder by a variable"),
    ("x = y / m;", "", "division or remainder by a variable"),
    ("x += t[i][j];", "", "a table of rows"),
    ("x++;", "", "the program's own code"),
    ("x = y % 10;", "", "the program's own code"),
    ("frob(x);", "frobnicate", "other code of the library"),
]


def profile_of(*lines: HotLine, functions: tuple[HotFunction, ...] = ()) -> Profile:
    return Profile("hot", lines, functions=functions, allocations=10**6)


def one(code: str, function: str) -> list[str]:
    """What is seen in a program one line of which is all of its cost."""
    program = Program.of(f"{code}\n")
    line = HotLine("main.cpp", 1, 0.9, code, ((function, 0.9),) if function else ())
    return [f.seen for f in findings(program, profile_of(line))]


@pytest.mark.parametrize(("code", "function", "seen"), SEEN)
def test_each_rule_takes_what_it_is_for(code: str, function: str, seen: str) -> None:
    found = one(code, function)
    assert len(found) == 1
    assert seen in found[0]


def test_recursion_is_seen_where_a_function_often_calls_itself() -> None:
    code = "int f(int n) {\n    if (n < 2) return n;\n    return f(n - 1) + f(n - 2);\n}\n"
    lines = [
        HotLine("main.cpp", n, share, code.split("\n")[n - 1].strip(), (), "f")
        for n, share in ((2, 0.7), (3, 0.2))
    ]
    function = HotFunction("f", 0.9, 0.9, 2_000_000, own=True, recursive=True)
    (found,) = findings(Program.of(code), profile_of(*lines, functions=(function,)))
    assert "recursion" in found.seen
    assert "`f` is called 2,000,000 times" in found.seen
    assert found.advice.startswith("Line 3 `return f(n - 1) + f(n - 2);`: ")
    seldom = HotFunction("f", 0.9, 0.9, 50, own=True, recursive=True)
    (found,) = findings(Program.of(code), profile_of(*lines, functions=(seldom,)))
    assert "the program's own code" in found.seen


def test_the_kind_that_takes_most_is_the_bottleneck() -> None:
    program = Program.of("x\n")
    lines = (
        HotLine("main.cpp", 1, 0.35, "m[k]++;", (("std::map::operator[]", 0.35),)),
        HotLine("main.cpp", 1, 0.25, "cin >> x;", (("std::operator>>", 0.25),)),
        HotLine("main.cpp", 1, 0.2, "cout << x;", (("std::operator<<", 0.2),)),
        HotLine("main.cpp", 1, 0.01, "v.push_back(x);", (("std::vector::push_back", 0.01),)),
    )
    found = findings(program, profile_of(*lines))
    assert [finding.bottleneck for finding in found] == ["algorithm", "io", "io"]
    assert bottleneck(found) == "io"
    assert bottleneck([]) == ""


def test_what_says_little_counts_for_half() -> None:
    lines = (
        HotLine("main.cpp", 1, 0.5, "x++;"),
        HotLine("main.cpp", 1, 0.4, "m[k]++;", (("std::map::operator[]", 0.4),)),
    )
    found = findings(Program.of("x\n"), profile_of(*lines))
    assert bottleneck(found) == "algorithm"
    assert [finding.share for finding in found] == [0.4, 0.5]


def test_suggestions_name_files_only_where_there_are_several() -> None:
    line = HotLine("a.cpp", 1, 0.9, "v.push_back(x);", (("std::vector::push_back", 0.9),))
    one_file = Program({"a.cpp": "v.push_back(x);\n"}, "a.cpp")
    two_files = one_file.with_file("b.cpp", "")
    (first,) = findings(one_file, profile_of(line))
    (second,) = findings(two_files, profile_of(line))
    assert first.advice.startswith("Line 1 `v.push_back(x);`: reserve()")
    assert second.advice.startswith("a.cpp:1 `v.push_back(x);`: reserve()")


def test_lines_that_the_program_does_not_have_are_left_out() -> None:
    program = Program.of("x\n")
    for path, number in (("gone.cpp", 1), ("main.cpp", 99), ("main.cpp", 0)):
        line = HotLine(path, number, 0.9, "x[i][j] = pow(a, b);", (("std::pow", 0.1),))
        assert findings(program, profile_of(line)) == []


def test_a_language_without_rules_gets_no_findings() -> None:
    line = HotLine("main.rs", 1, 0.9, "x = y % m; // pow(a, b)")
    assert findings(Program({"main.rs": "x\n"}, "main.rs"), profile_of(line)) == []


def test_programs_in_c_hear_nothing_of_c_plus_plus() -> None:
    program = Program({"main.c": "x\n", "one.h": "x\n"}, "main.c")
    for path in program.files:
        lines = [HotLine(path, 1, 0.9, "x = m[i][j] % n; sort(a);", (("qsort", 0.4),))]
        found = findings(program, profile_of(*lines))
        assert found
        said = " ".join([f.seen + f.advice for f in found])
        assert "division" in said
        assert not {"vector", "std::", "reference", "nth_element"} & set(said.split())
