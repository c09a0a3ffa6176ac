"""ProfileCritic: what it says of steps of every kind."""

from dataclasses import replace

import pytest
from tests.critics._steps import diagnosed

from maxcode.critics.profile import ProfileCritic
from maxcode.evaluation import Critique, Evaluation, HotLine, Interval, Profile, Status
from maxcode.interfaces import Critic
from maxcode.program import Program
from maxcode.task import Task
from maxcode.testing import CriticContract

_CODE = "#include <vector>\nint main() {\n    int x = 1;\n    return x - 1;\n}\n"
_CHANGED = _CODE.replace("int x = 1;", "long x = 1;\n    x = v[7];")
TASK = Task("small", "Return 0.", Program.of(_CODE), language="c++")


class TestContract(CriticContract):
    def make(self) -> Critic:
        return ProfileCritic()


def critique(
    *evaluations: Evaluation, code: str = _CHANGED, profile: Profile | None = None
) -> Critique:
    """Of the last of these steps, each grown from the one before, the last with that code."""
    *others, last = evaluations
    grown = [(Program.of(f"{_CODE}// {n}\n"), one) for n, one in enumerate(others, 1)]
    return diagnosed(TASK, *grown, (Program.of(code), last), profile=profile)


def ok(speedup: float) -> Evaluation:
    return Evaluation(Status.OK, Interval(speedup, speedup * 0.99, speedup * 1.01))


def failed(status: Status, feedback: str) -> Evaluation:
    return Evaluation(status, feedback=feedback)


# -- programs that fail -----------------------------------------------------------------------

FAILURES = [
    ("build_error", "main.cpp:4:9: error: 'v' was not declared in this scope", "Declare `v`"),
    ("build_error", "main.cpp:3:5: error: cannot convert 'A' to 'int' in return", "every use"),
    ("build_error", "main.cpp:5:2: error: expected '}' at end of input", "brackets"),
    ("build_error", "main.cpp:3:5: error: stray '#' in program", "first error"),
    ("wrong_answer", "test 1: the output ends before line 3", "written at the end"),
    ("wrong_answer", "test 1: line 2 differs: got '-2147483600'", "long long"),
    ("wrong_answer", "test 1: line 2 differs: got '17'", "overflow"),
    ("runtime_error", "test 1: x\nheap-buffer-overflow at main.cpp:4", "indices"),
    ("runtime_error", "test 1: x\nheap-use-after-free at main.cpp:4", "references after"),
    ("runtime_error", "test 1: odd", "test that is named"),
    ("timeout", "test 1: did not end within its time limit (2.0 s)", "loop"),
    ("out_of_memory", "test 1: ran out of memory (std::bad_alloc)", "smaller types"),
    ("suspect", "too fast", "from the input"),
    ("invalid", "no code in the answer", "complete program"),
    ("infrastructure", "the disk is full", "again"),
]
_KINDS = {
    Status.BUILD_ERROR: "build",
    Status.WRONG_ANSWER: "correctness",
    Status.RUNTIME_ERROR: "correctness",
    Status.TIMEOUT: "algorithm",
    Status.OUT_OF_MEMORY: "memory",
    Status.SUSPECT: "correctness",
}


@pytest.mark.parametrize(("status", "feedback", "advice"), FAILURES)
def test_each_failure_has_its_advice(status: str, feedback: str, advice: str) -> None:
    found = critique(failed(Status(status), feedback))
    assert advice in found.suggestions[0]
    assert found.suggestions[0] in found.text
    assert found.evidence in found.text
    assert found.bottleneck == _KINDS.get(Status(status), "")
    assert "{" not in found.text.replace("int main() {", "")


def test_the_place_is_quoted() -> None:
    where = "build/main.cpp:4:9: error: 'v' was not declared in this scope\n    4 |     x = v[7];"
    found = critique(failed(Status.BUILD_ERROR, where))
    assert "The place is main.cpp line 4, `x = v[7];`." in found.text


def test_places_that_do_not_exist_are_not_named() -> None:
    for feedback in ("main.cpp:99:1: error: odd", "other.cpp:1:1: error: odd", "12:30:15 odd"):
        assert "The place" not in critique(failed(Status.BUILD_ERROR, feedback)).text


def test_expected_outputs_are_never_told() -> None:
    secret = replace(failed(Status.WRONG_ANSWER, "test 1: line 2 differs: got '17'"), details="42!")
    assert "42!" not in critique(secret).text


# -- programs that pass -----------------------------------------------------------------------

_PROFILE = Profile(
    "hot",
    (HotLine("main.cpp", 4, 0.8, "x = v[7];", (("std::map::operator[]", 0.7),), "main"),),
)


def test_a_profile_gives_bottleneck_evidence_and_suggestions() -> None:
    found = critique(ok(2.0), profile=_PROFILE)
    assert found.bottleneck == "algorithm"
    assert "70 % of the instructions: std::map" in found.evidence
    assert "line 4 `x = v[7];` 70 %" in found.evidence
    assert found.suggestions[0].startswith("Line 4 `x = v[7];`: index an array")
    assert all(suggestion in found.text for suggestion in found.suggestions)
    assert found.text.startswith("2.00x the speed of the baseline, the best so far.")
    assert found.cost.tokens == 0


def test_a_step_is_placed_among_the_others() -> None:
    slower = critique(ok(3.0), ok(2.0), profile=_PROFILE)
    assert "Slower than what it grew from." in slower.text
    assert "No faster than what it grew from." in critique(ok(1.0)).text
    assert "grew from" not in critique(ok(3.0), ok(4.0)).text


def test_without_a_profile_it_says_so() -> None:
    assert "not profiled" in critique(ok(2.0)).text
    found = critique(ok(2.0), profile=Profile("valgrind is not installed"))
    assert "valgrind is not installed" in found.text
    assert found.bottleneck == ""


def test_the_baseline_is_called_so() -> None:
    assert diagnosed(TASK, profile=_PROFILE).text.startswith("The baseline. Bottleneck: ")
