"""What no honest change contains, and what only looks like it."""

import pytest

from maxcode.executors.project.forgery import forgery
from maxcode.program import Program

BASELINE = Program({"src/a.c": "int a;\n", "pkg/b.py": "B = 1\n"}, "src/a.c")


def reason(path: str, text: str) -> str:
    program = Program({**BASELINE.files, path: text}, "src/a.c")
    return forgery(
        program, BASELINE, ["sorting"], ["tests/data/answers.txt", "check/test_b.py", "tests/b.py"]
    )


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
        ("src/a.c", 'f("BenchmarkSum 100 5 ns/op");', "benchmark tool writes"),
        ("src/a.c", 'f("sum  time:   [1 ns 2 ns 3 ns]");', "benchmark tool writes"),
        ("src/a.c", r'f("<BenchmarkResults name=\"a\">");', "benchmark tool writes"),
        ("src/a.c", r'f("{\"median(elapsed)\": 1}");', "benchmark tool writes"),
        ("pkg/b.py", "B = {'rawData': [[1]]}", "benchmark tool writes"),
        ("pkg/b.py", "B = {'stats_number': 1}", "benchmark tool writes"),
        ("pkg/b.py", "B = {'latency': {'totalTime': 1}}", "benchmark tool writes"),
        ("pkg/b.py", "B = {'OriginalValues': [1]}", "benchmark tool writes"),
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
    ],
)
def test_honest_code_is_left_alone(path: str, text: str) -> None:
    assert reason(path, text) == ""
