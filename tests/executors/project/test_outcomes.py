from maxcode.executors.project.outcomes import passed_tests, without_passed

TAP = """\
# Subtest: range.test.js
    ok 1 - parses
      ---
      duration_ms: 1.2
    ok 2 - compares # time=1.286ms {
        ok 1 - deep
    }
    ok 3 - on Windows # SKIP no such system
ok 1 - range.test.js # time=12ms
ok 2 - later # TODO not yet
not ok 3 - broken
ok 4 - issue \\# 7
ok 5
"""


def test_names_in_tap_have_no_times_and_skipped_tests_do_not_count() -> None:
    names = {"parses", "compares", "deep", "range.test.js", "issue \\# 7"}
    assert passed_tests(TAP) == names
    slower = TAP.replace("1.286ms", "7ms").replace("12ms", "1.5s")
    assert passed_tests(slower) == passed_tests(TAP)


def test_lines_of_passed_tests_hide_no_failure() -> None:
    output = "FAILED t.py::b - assert 0\nPASSED t.py::a\nPASSED t.py::c\n1 failed, 2 passed"
    assert without_passed(output) == "FAILED t.py::b - assert 0\n1 failed, 2 passed"
