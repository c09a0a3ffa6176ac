"""The summary of a run: no more certainty than there is, and no more lines than are read."""

import html
import io
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from tests.executors.project._projects import FAST as FAST_SUM
from tests.executors.project._projects import FILES, with_sum, written

from maxcode.budget import Budget, Cost
from maxcode.cli.summary import next_commands, print_summary
from maxcode.cli.verify import patched
from maxcode.evaluation import Baseline, FuzzResult, HeldOut, Interval, Measurement
from maxcode.policies.best_of_n import BestOfN
from maxcode.program import Program
from maxcode.report.closing import patch
from maxcode.report.document import RunDocument
from maxcode.report.documents import result_document
from maxcode.report.history import History
from maxcode.report.page import run_data
from maxcode.search.result import Result
from maxcode.search.search import Search
from maxcode.search.summary import doubts
from maxcode.task import Task
from maxcode.tasks.project import FLAGS_FILE
from maxcode.testing import ScriptedExecutor, ScriptedGenerator

HELPERS = "".join(f"helper {number}\n" for number in range(60))
SLOW = Program.of("first\nslow\nlast\n")
FAST = Program.of(f"{HELPERS}first\nfast\nlast\n")


def searching(
    better: Any = FAST,
    baseline: Program = SLOW,
    speedup: float = 2.0,
    speed: float = 1.0,
    truth: dict[str, float] | None = None,
    **options: Any,
) -> Search:
    """A search that finds one program, or asks a function for programs."""
    verdicts = {baseline.digest: speed}
    if isinstance(better, Program):
        verdicts[better.digest] = speedup * speed
    return Search(
        Task("words", "", baseline),
        generator=ScriptedGenerator([better] if isinstance(better, Program) else better),
        executor=ScriptedExecutor(verdicts, truth=truth),
        policy=BestOfN(n=1),
        budget=Budget(evaluations=1),
        **options,
    )


@pytest.fixture
def search() -> Search:
    return searching()


def printed(
    result: Result, *, terminal: bool = False, width: int = 300, path: Path | None = None
) -> str:
    file = io.StringIO()
    console = Console(file=file, width=width, force_terminal=terminal, color_system=None)
    commands = ["maxcode " + 40 * "x", "maxcode show"] if path else []
    print_summary(console, result, path, commands)
    return file.getvalue()


@pytest.mark.parametrize(
    ("own", "found", "line"),
    [
        ("", "", ""),
        ("", "-O3", "# compile with: -O3\n"),
        ("-O2", "-O2", "# compile with: -O2\n"),
        ("-O2", "", "# compile with: no flags\n"),
    ],
)
def test_a_patch_says_which_flags_it_was_measured_with(
    tmp_path: Path, own: str, found: str, line: str
) -> None:
    toml = FILES["task.toml"].replace("bench = ", f'flags = "{own}"\nbench = ', 1)
    task = written(tmp_path / "sum", {**FILES, "task.toml": toml})
    fast = with_sum(task, FAST_SUM).with_file(FLAGS_FILE, f"{found}\n")
    text = patch(searching(fast, task.baseline).run())
    said = [one for one in text.splitlines(keepends=True) if "compile with" in one]
    assert said == ([line] if line else [])
    assert patched(task.folder, text, tmp_path / "scratch").program == fast


def test_flags_alone_are_no_patch(tmp_path: Path) -> None:
    toml = FILES["task.toml"].replace("bench = ", 'flags = ""\nbench = ', 1)
    task = written(tmp_path / "sum", {**FILES, "task.toml": toml})
    fast = task.baseline.with_file(FLAGS_FILE, "-O3\n")
    shown = printed(searching(fast, task.baseline).run())
    assert "faster by compiler flags alone" in shown
    assert "no patch: the flags are in no file of the project" in shown


def test_how_to_go_on_is_shown_without_the_password_of_the_store(search: Search) -> None:
    store = "postgresql://me:hunter2@host/runs?sslpassword=hunter3"
    commands = next_commands(search.run(), Budget(evaluations=1), store)
    assert commands
    for command in commands:
        assert command.endswith("--store 'postgresql://me:***@host/runs?sslpassword=***'")


def test_a_budget_to_go_on_with_is_above_all_that_was_spent(search: Search) -> None:
    spent = Cost(evaluations=15, dollars=2.5, seconds=100.4)
    result = replace(search.run(), spent=spent, reducing=10)
    budget = Budget(evaluations=5, dollars=2.0, seconds=60.0)
    command = next_commands(result, budget, None)[-1].split()
    more = Budget.parse(command[command.index("--budget") + 1])
    more.check_above(result.spent)
    assert (more.evaluations, more.dollars, more.seconds) == (20, 5.0, 161.0)


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("terminal", [True, False])
def test_five_lines_fit(search: Search, width: int, terminal: bool) -> None:
    text = printed(search.run(), terminal=terminal, width=width, path=Path.cwd() / "a.cpp")
    lines = [line.rstrip() for line in text.splitlines()]
    assert max(map(len, lines[:-1])) <= width
    names = [line[:10].strip() for line in lines if line[9] == " "]
    assert [name for name in names if name] == ["safe?", "changed", "saved", "next"]
    assert len(lines) == (5 if width > 60 else 6)


def test_a_run_cut_short_before_its_last_comparison_is_not_confirmed(search: Search) -> None:
    steps = search.steps()
    next(steps)
    steps.close()
    result = Result.of(search.state)
    assert (result.status, result.improved) == ("interrupted", True)
    text = printed(result)
    assert "words: 2.00x faster" in text
    assert ", unconfirmed\n" in text


def test_the_change_is_told_by_places_lines_steps_and_needs(search: Search) -> None:
    text = printed(search.run())
    assert re.search(r"changed   \S+, 2 places \(\+1 -1, 60 more of helpers\): #1 ", text)
    assert "+helper" not in text
    vector = Program.of('__attribute__((target("avx512f"))) fast')
    assert "needs AVX-512\n" in printed(searching(vector).run())


@pytest.mark.slow
def test_all_figures_are_those_of_the_confirmation() -> None:
    slower = {SLOW.digest: 1 / 0.183, FAST.digest: 1 / 0.134}  # than at the beginning
    result = searching(speedup=1.4, speed=1 / 0.129, truth=slower).run()
    assert result.confirmed
    document = result_document(result, result.status, None)
    assert document["baseline_seconds"] == pytest.approx(0.183)
    measured = {"meter": "script", "unit": "s", "before": 0.183, "now": 0.134}
    assert document["measured"] == pytest.approx(measured)
    assert "183 ms before, 134 ms now" in result._repr_html_()
    assert "(183 -> 134 ms)" in printed(result)
    for text in (printed(result), result._repr_html_()):
        assert "129 ms" not in text


@pytest.mark.parametrize(
    ("measured", "baseline", "told"),
    [
        (("cpu", "s", (1.2e-3,)), {"floor": 1e-3}, "1.2 ms, of which 1 ms is what a program that"),
        (("cpu", "s", (1.2e-3,)), {"floor": 1e-3}, "no candidate can be more than 1.20x faster"),
        (("cpu", "s", (1e-3,)), {"floor": 1.1e-3}, "next to nothing can be gained"),
        (("peak_memory", "B", (3.6e6,)), {"floor": 3.4e6}, "takes 3.6 MB, of which 3.4 MB"),
        (("cpu", "s", (0.02,)), {}, "takes only 20 ms: larger inputs"),
        (("cpu", "s", (0.02,)), {"floor": 1e-3}, "takes only 20 ms: larger inputs"),
        (("cpu", "s", (0.3,)), {"noise": 0.2}, "differ by 20 %"),
        (("cpu", "s", (0.3,)), {"noise": 0.01}, ""),
    ],
)
def test_a_small_program_and_a_noisy_machine_are_doubted(
    measured: tuple[str, str, tuple[float]], baseline: dict[str, float], told: str
) -> None:
    found = doubts(Baseline((Measurement(*measured),), **baseline))  # type: ignore[arg-type]
    assert len(found) == bool(told)
    assert told in "".join(found)


def _told(search: Search, result: Result) -> tuple[dict[str, Any], dict[str, Any]]:
    """The parts of the page, and the JSON of the best."""
    best = result_document(result, "done", None)["best"]
    assert isinstance(best, dict)
    return run_data(RunDocument.of(History.of(search.state.log)))["parts"], best


@pytest.mark.parametrize(
    ("held_out", "told", "said"),
    [
        (
            HeldOut(Interval(1.99, 1.9, 2.1), 6),
            "generated inputs; 1.99x on 6 unseen ones\n",
            "holds on inputs held out: 1.99x [1.90, 2.10]",
        ),
        (
            HeldOut(Interval(1.02, 1.0, 1.1), 6),
            "words: 1.02x faster on 6 unseen inputs, 2.00x on the tests (1 s -> 500 ms), "
            "confirmed: the gain depends on the input",
            "1.02x [1.00, 1.10] on 6 inputs that the search",
        ),
        (
            HeldOut(None, problem="no structure"),
            "500 generated inputs\n",
            "not measured on inputs held out: no structure",
        ),
    ],
)
def test_what_holds_elsewhere_is_said(
    search: Search, held_out: HeldOut, told: str, said: str
) -> None:
    executor = search.plugins.executor
    assert isinstance(executor, ScriptedExecutor)
    executor.fuzzed = lambda program, plan: FuzzResult(plan.count, 3)
    executor.held = lambda program: held_out
    result = search.run()
    assert told in printed(result)
    page, best = _told(search, result)
    differs = held_out.ratio is not None and held_out.ratio.value < 1.5
    both = "2.00x faster on the tests given, 1.02x on 6 inputs held out"
    assert (both in re.sub("<[^>]*>", "", page["headline"])) is differs
    assert said in html.unescape(result._repr_html_())
    assert said in html.unescape(page["facts"])
    assert (best["fuzzed"]["agreed"], best["fuzzed"]["rejected"]) == (500, 3)
