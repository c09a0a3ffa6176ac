import math
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from time import monotonic

import pytest

from maxcode.errors import TaskError
from maxcode.evaluation import Status
from maxcode.executors.program.executor import ProgramExecutor
from maxcode.measure.lane import other_processors, timing_processors
from maxcode.measure.rounds import CONFIRM, Plan
from maxcode.program import Program
from maxcode.sandbox.base import NO_FILES, Completed, Files, Limits
from maxcode.sandbox.process import ProcessSandbox
from maxcode.tasks.program import Judging, ProgramTask, TestCase
from maxcode.testing import Broken, ExecutorContract

ROUNDS = 3
BRIEF = Plan(least=ROUNDS, most=ROUNDS, seconds=math.inf)
"""As few rounds as there can be, where it does not matter what is measured."""


HEADERS = ("cstdio", "cstdlib", "cstring", "new", "fcntl.h", "sys/mman.h", "unistd.h")


def program(body: str) -> Program:
    """A program that has read n."""
    headers = "".join(f"#include <{name}>\n" for name in HEADERS)
    start = 'int main() {\n    unsigned long n;\n    if (scanf("%lu", &n) != 1) return 1;\n'
    return Program.of(f"{headers}{start}    {body}\n}}\n")


def summing(steps: str) -> str:
    return (
        "volatile unsigned long sum = 0;\n"
        f"    for (unsigned long i = 1; i <= {steps}; i++) sum = sum + (i <= n ? i : 0);\n"
        '    printf("%lu\\n", sum);'
    )


def case(name: str, n: int) -> TestCase:
    return TestCase(name, f"{n}\n".encode(), f"{n * (n + 1) // 2}\n".encode())


SLOW = program(summing("n"))
FAST = program('printf("%lu\\n", n * (n + 1) / 2);')
WRONG = program('printf("%lu\\n", n * (n + 1) / 2 + 1);')
UNBUILDABLE = program("return missing;")
CRASHING = program("return *(int* volatile)nullptr;")
LOOPING = program("for (;;) pause();")  # which uses no processor, and never ends either
GREEDY = program("for (;;) memset(new char[1 << 20], 1, 1 << 20);")
FLOODING = program('for (;;) puts(R"(all work and no play)");')
RIGHT_ANSWER = "200000010000000"
TASK = ProgramTask(
    "sum",
    "Add up 1 to n.",
    SLOW,
    tests=(case("001", 10), case("002", 20_000_000)),
    judging=Judging(flags=("-O1",), timeout=1.0, memory=96 << 20),
)
BROKEN = [
    (UNBUILDABLE, Status.BUILD_ERROR),
    (WRONG, Status.WRONG_ANSWER),
    (CRASHING, Status.RUNTIME_ERROR),
    (LOOPING, Status.TIMEOUT),
    (GREEDY, Status.OUT_OF_MEMORY),
    (FLOODING, Status.RUNTIME_ERROR),
]


@pytest.mark.slow
class TestContract(ExecutorContract):
    @pytest.fixture(autouse=True)
    def _executor(self, request: pytest.FixtureRequest, brief: ProgramExecutor) -> Iterator[None]:
        """One for all, but a new one where earlier verdicts would answer."""
        if request.node.name.endswith(("those_before", "threads_at_once")):
            with ProgramExecutor(score=BRIEF, confirm=BRIEF) as self.executor:
                yield
        else:
            self.executor = brief
            yield

    def make(self) -> ProgramExecutor:
        return self.executor

    def task(self) -> ProgramTask:
        return TASK

    def faster(self) -> Program:
        return FAST

    def differing(self) -> Program:
        return program('printf("%lu\\n", n * (n + 1) / 2 + n % 2);')

    def broken(self) -> list[Broken]:
        return [(program, frozenset({status})) for program, status in BROKEN]


@pytest.fixture(scope="module")
def executor() -> Iterator[ProgramExecutor]:
    """As users have it, but for how many rounds a confirmation takes."""
    with ProgramExecutor(confirm=replace(CONFIRM, least=6, most=6, fewest=6)) as executor:
        executor.prepare(TASK)
        yield executor


@pytest.fixture
def open_house() -> Iterator[ProgramExecutor]:
    """Programs see our files: they can count their runs there."""
    with ProgramExecutor(ProcessSandbox(), score=BRIEF, confirm=BRIEF) as executor:
        yield executor


# -- verdicts ----------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_faster_program_gets_its_speedup(executor: ProgramExecutor) -> None:
    evaluation = executor.evaluate(TASK, FAST)
    assert evaluation.speedup is not None
    assert evaluation.speedup.low > 2
    assert evaluation.reward == evaluation.speedup.value
    assert "correct on all 2 tests" in evaluation.feedback
    for measurements in (evaluation.measurements, evaluation.reference):
        assert [(one.meter, one.unit) for one in measurements] == [
            ("cpu", "s"),
            ("wall", "s"),
            ("peak_memory", "B"),
            ("memory_integral", "MB*s"),
        ]
        assert {len(one.samples) for one in measurements} <= set(range(3, 9))
    short, long = evaluation.by_test
    assert (short.name, long.name, long.unit) == ("001", "002", "s")
    assert long.first < long.second
    assert long.ratio.low > 2


@pytest.mark.slow
def test_the_reward_is_read_from_the_tasks_meter(brief: ProgramExecutor) -> None:
    # It sleeps where the baseline computes: fast by processor time, slow by the clock.
    sleeping = program('usleep(150000);\n    printf("%lu\\n", n * (n + 1) / 2);')
    by_processor = replace(TASK, tests=TASK.tests[1:])
    by_clock = replace(by_processor, judging=replace(TASK.judging, meter="wall"))
    assert brief.evaluate(by_processor, sleeping).reward > 2
    evaluation = brief.evaluate(by_clock, sleeping)
    assert 0 < evaluation.reward < 1
    assert [one.meter for one in evaluation.measurements][:2] == ["wall", "cpu"]


@pytest.mark.parametrize("printed", ['puts("7");', "", 'printf("%lu\\n\\n1\\n", n * (n + 1) / 2);'])
def test_a_wrong_answer_is_no_way_to_learn_the_right_one(
    executor: ProgramExecutor, printed: str
) -> None:
    only_second = replace(TASK, tests=TASK.tests[1:])
    evaluation = executor.evaluate(only_second, program(printed))
    assert evaluation.status is Status.WRONG_ANSWER
    assert evaluation.feedback.startswith("test 002: ")
    assert RIGHT_ANSWER not in evaluation.feedback


@pytest.mark.slow
def test_what_is_right_by_luck_passes_only_unwatched(brief: ProgramExecutor) -> None:
    lucky = program('volatile int size = 8;\n    (new char[8]())[size] = 1;\n    puts("4");')
    test = TestCase("001", b"4\n", b"4\n")
    trusting = replace(TASK, baseline=program('puts("4");'), tests=(test,))
    assert brief.evaluate(trusting, lucky).ok
    watched = replace(trusting, judging=replace(trusting.judging, sanitize=True))
    evaluation = brief.evaluate(watched, lucky)
    assert evaluation.status is Status.RUNTIME_ERROR
    assert re.search(r"right by luck, as the sanitizers found: .*main.cpp:12", evaluation.feedback)
    with pytest.raises(TaskError, match=r"its own program fails.*right by luck"):
        brief.prepare(replace(watched, baseline=lucky))


@pytest.mark.slow
def test_a_program_that_fails_later_fails(open_house: ProgramExecutor, tmp_path: Path) -> None:
    evaluation = open_house.evaluate(TASK, failing_after(4, tmp_path / "runs"))
    assert evaluation.status is Status.WRONG_ANSWER
    assert "test 00" in evaluation.feedback  # tests of timed passes come in random order
    assert (tmp_path / "runs").stat().st_size == 5  # right in the check and in one timed pass


def failing_after(runs: int, counter: Path) -> Program:
    """Right so many times; it counts them in a file."""
    return program(
        f'FILE* file = fopen("{counter}", "ab");\n'
        "    fputc('x', file);\n"
        f"    bool late = ftell(file) > {runs};\n"
        "    fclose(file);\n"
        '    printf("%lu\\n", late ? 0 : n * (n + 1) / 2);'
    )


# -- the baseline ------------------------------------------------------------------------------


def test_a_baseline_that_fails_its_test_is_told_which_and_how(brief: ProgramExecutor) -> None:
    with pytest.raises(TaskError) as caught:
        brief.prepare(replace(TASK, baseline=program('printf("%lu\\n", n == 10 ? 55 : 0);')))
    assert "task 'sum': its own program fails (wrong answer)" in str(caught.value)
    assert f"test 002: line 1: expected '{RIGHT_ANSWER}', got '0'" in str(caught.value)


# -- comparisons -------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_gain_that_only_the_instrument_sees_is_no_gain(brief: ProgramExecutor) -> None:
    counted = replace(
        TASK, tests=(case("001", 9_000_000),), judging=replace(TASK.judging, meter="instructions")
    )
    deceiving = program(
        f'if (getenv("VALGRIND_LIB")) return printf("%lu\\n", n * (n + 1) / 2) < 0;\n{summing("n")}'
    )
    deceived = brief.compare(counted, deceiving, SLOW)
    assert deceived.ratio is None
    assert re.match(r"counted as .* by processor time it is .*: the count", deceived.problem)
    honest = brief.compare(counted, FAST, SLOW)
    assert honest.ratio is not None
    assert honest.ratio.low > 5


@pytest.mark.slow
@pytest.mark.parametrize("when", ["counted", "always"])
def test_what_the_kernel_does_for_a_program_is_no_gain_in_instructions(
    brief: ProgramExecutor, when: str
) -> None:
    moving = (
        'const int file = open("/tmp", O_TMPFILE | O_RDWR, 0600);\n'
        "if (ftruncate(file, 1 << 20)) return 2;\n"
        "char* held = static_cast<char*>(mmap(nullptr, 1 << 20, 3, MAP_SHARED, file, 0));\n"
        "for (int i = 0; i < 500; i++) {{ {} }}\n"
        'printf("%lu\\n", n * (n + 1) / 2 + held[0]);'
    )
    here = "memmove(held + (i * 37 & 0xffff), held + 300000, 100000);"
    there = (
        "if (ftruncate(file, 0) || ftruncate(file, 1 << 20)) return 2;"
        "if (pwrite(file, held + 300000, 100000, i * 37 & 0xffff) < 0) return 3;"
    )
    if when == "counted":
        there = f'if (getenv("VALGRIND_LIB")) {{ {there} }} else {here}'
    ours, theirs = (program(moving.format(one)) for one in (there, here))
    counted = replace(TASK, baseline=theirs, judging=replace(TASK.judging, meter="instructions"))
    comparison = brief.compare(counted, ours, theirs)
    assert comparison.ratio is None
    assert "the operating system works" in comparison.problem
    assert when == "always" or "while it is counted" in comparison.problem


# -- the machine -------------------------------------------------------------------------------


class WatchedSandbox(ProcessSandbox):
    """Notes when each command ran on the timing processors."""

    def __init__(self) -> None:
        super().__init__()
        self.timed: list[tuple[str, float, float]] = []

    def run(self, command: Sequence[str], limits: Limits, files: Files = NO_FILES) -> Completed:
        began = monotonic()
        completed = super().run(command, limits, files)
        if limits.processors == timing_processors():
            self.timed.append((command[0], began, monotonic()))
        return completed


@pytest.mark.slow
@pytest.mark.usefixtures("every_processor")
def test_timed_pairs_of_several_threads_take_turns() -> None:
    if other_processors(timing_processors()) == timing_processors():
        pytest.skip("with one processor nothing tells a timed run from another")
    sandbox = WatchedSandbox()
    candidates = [program(f"{summing('n')} // {number}") for number in range(4)]
    with ProgramExecutor(sandbox, score=BRIEF) as executor:
        executor.prepare(TASK)
        sandbox.timed.clear()
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda one: executor.evaluate(TASK, one), candidates))
    assert all(evaluation.ok for evaluation in found)
    [(baseline, _)] = Counter(name for name, *_ in sandbox.timed).most_common(1)
    turns: dict[str, list[float]] = {}
    for name, *times in sandbox.timed:
        if name != baseline:
            turns.setdefault(name, []).extend(times)
    assert len(turns) == 4
    spans = sorted((min(times), max(times)) for times in turns.values())
    assert all(ended <= began for (_, ended), (began, _) in pairwise(spans))


@pytest.mark.slow
def test_closing_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    executor = ProgramExecutor(score=BRIEF)
    executor.prepare(TASK)
    executor.evaluate(TASK, FAST)
    executor.evaluate(TASK, CRASHING)
    assert list(tmp_path.iterdir())
    executor.close()
    left = [one.name for one in tmp_path.iterdir()]
    assert left == ["maxcode-lanes"]  # where all processes wait for the timing lane
