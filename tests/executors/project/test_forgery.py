"""What no honest change contains, and what only looks like it."""

import pytest

from maxcode.executors.project.forgery import forgery
from maxcode.program import Program

BASELINE = Program({"src/a.c": "int a;\n", "pkg/b.py": "B = 1\n"}, "src/a.c")


TESTS = ["tests/data/answers.txt", "check/test_b.py", "tests/b.py", "Tests/More/x.txt"]


def reason(path: str, text: str, baseline: Program = BASELINE) -> str:
    program = Program({**baseline.files, path: text}, "src/a.c")
    return forgery(program, baseline, ["sorting"], TESTS)


@pytest.mark.parametrize(
    ("path", "text", "why"),
    [
        ("src/a.c", 'int a; void f() { execl("/bin/true", "true", 0); }', "take its place"),
        ("src/a.c", "#define main(x) main(x) { return 0; }", "program's start"),
        ("src/a.c", 'char *s = "//"; void f() { _exit(0); }', "ends the process"),
        ("src/a.c", 'char *s = R"(")"; /* " */ void f() { _exit(0); } /* " */', "ends the process"),
        ("src/a.c", "// \\\n;\nvoid f() { _exit(0); }", "ends the process"),
        ("pkg/b.py", 'B = "#"; import unittest', "harness"),
        ("pkg/b.py", "B = (  # unittest\nimport unittest", "harness"),
        ("json.py", "", "standard library"),
        ("src/unittest/__init__.py", "", "standard library"),
        ("src/a.c", 'char *s = "sorting/1";', "names a benchmark"),
        ("src/a.c", 'char *s = "../tests/data/answers.txt";', "file of the tests"),
        ("pkg/b.py", "B = open('tests/' 'data')", "file of the tests"),
        ("pkg/b.py", "B = open('/tmp/x/check/test_b.py')", "file of the tests"),
        ("pkg/b.py", "B = os.access('.', os.W_OK)", "tested or timed"),
        ("pkg/b.py", "B = f'tests/{name}.txt'", "file of the tests"),
        ("pkg/b.py", "B = open('/tmp/tests/da' + 'ta/x')", "file of the tests"),
        ("pkg/b.py", "B = 'tests/more'", "file of the tests"),
        ("pkg/b.py", "import sys\nB = sys.argv", "what it is run as"),
    ],
)
def test_what_lies_to_the_harness_is_named(path: str, text: str, why: str) -> None:
    assert why in reason(path, text)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("src/a.c", "int a; // unlike _exit(0)\n/* clock() = 1;\n _exit(1) */ int b;"),
        ("pkg/b.py", "B = 1  # tests import unittest and look at sys.modules\n"),
        ("pkg/json.py", "B = 1\n"),
        ("pkg/b.py", "B = ['latest.txt', 'a test', 'answers', {'latency': 1}, 'pkg/b.py']\n"),
        ("src/a.c", 'char *s = "10 ns"; // 10 ns/op, see tests/data/answers.txt'),
        ("src/execution.c", "int execute(int a);\n"),
        ("pkg/b.py", "B = ['%d tests/s', 'tests/min', 'benchmarks/suite/a', 'tests/dates']\n"),
        ("pkg/b.py", "B = {'benchmarks': 1, 'fullname': 2, 'totalTime': 3}\n"),
    ],
)
def test_honest_code_is_left_alone(path: str, text: str) -> None:
    assert reason(path, text) == ""


def test_what_the_project_does_itself_it_may_go_on_doing() -> None:
    own = {"src/a.c": 'char *s = "sorting/x";', "pkg/b.py": "import sys\nB = sys.argv[1]\n"}
    baseline = Program(own, "src/a.c")
    assert reason("pkg/b.py", "import sys\nB = int(sys.argv[1])\n", baseline=baseline) == ""
    assert reason("pkg/b.py", "import sys\nB = 'sorting', sys.argv\n", baseline=baseline) == ""
    assert reason("pkg/c.py", "import sys\nB = sys.argv\n", baseline=baseline)
