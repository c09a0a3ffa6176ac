"""The summary of a run: no more certainty than there is, and no more lines than are read."""

import html
import io
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console
from tests.executors.project._projects import FAST as FAST_SUM
from tests.executors.project._projects import FILES, with_sum, written

from maxcode.budget import Budget, Cost
from maxcode.cli.summary import next_commands, print_summary
from maxcode.cli.verify import patched
from maxcode.errors import ModelError
from maxcode.evaluation import (
    Baseline,
    FuzzResult,
    HeldOut,
    Interval,
    Measurement,
)
from maxcode.journal.events import Evaluated, Event
from maxcode.journal.state import RunState
from maxcode.observation import Observation
from maxcode.policies.best_of_n import BestOfN
from maxcode.policies.cuda_llm import CudaLLM
from maxcode.program import Program
from maxcode.report.closing import patch
from maxcode.report.document import RunDocument
from maxcode.report.documents import result_document
from maxcode.report.history import History
from maxcode.report.page import run_data
from maxcode.search.result import Result
from maxcode.search.search import Search
from maxcode.search.summary import described, doubts, ending
from maxcode.task import Task
from maxcode.tasks.project import FLAGS_FILE
from maxcode.testing import Answer, ScriptedExecutor, ScriptedGenerator, toy_verdict

HELPERS = "".join(f"helper {number}\n" for number in range(60))
SLOW = Program.of("first\nslow\nlast\n")
FAST = Program.of(f"{HELPERS}first\nfast\nlast\n")


@pytest.fixture
def search() -> Search:
    """A search that finds one faster program."""
    return Search(
        Task("words", "", SLOW),
        generator=ScriptedGenerator([FAST]),
        executor=ScriptedExecutor({SLOW.digest: 1.0, FAST.digest: 2.0}),
        policy=BestOfN(n=1),
        budget=Budget(evaluations=1),
    )


@pytest.fixture
def printed() -> Callable[..., str]:
    def text_of(result: Result, *, terminal: bool) -> str:
        written = io.StringIO()
        console = Console(file=written, width=300, force_terminal=terminal, color_system=None)
        print_summary(console, result, None)
        return written.getvalue()

    return text_of


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
    bench = f'flags = "{own}"\nbench = '
    toml = FILES["task.toml"].replace("bench = ", bench, 1)
    task = written(tmp_path / "sum", {**FILES, "task.toml": toml})
    fast = with_sum(task, FAST_SUM).with_file(FLAGS_FILE, f"{found}\n")
    speedups = {task.baseline.digest: 1.0, fast.digest: 2.0}
    result = Search(
        Task("sum", "", task.baseline),
        generator=ScriptedGenerator([fast]),
        executor=ScriptedExecutor(speedups),
        policy=BestOfN(n=1),
        budget=Budget(evaluations=1),
    ).run()
    text = patch(result)
    assert [one for one in text.splitlines(keepends=True) if "compile with" in one] == (
        [line] if line else []
    )
    assert patched(task.folder, text, tmp_path / "scratch").program == fast


def test_flags_alone_are_no_patch(tmp_path: Path, printed: Callable[..., str]) -> None:
    toml = FILES["task.toml"].replace("bench = ", 'flags = ""\nbench = ', 1)
    task = written(tmp_path / "sum", {**FILES, "task.toml": toml})
    fast = task.baseline.with_file(FLAGS_FILE, "-O3\n")
    result = Search(
        Task("sum", "", task.baseline),
        generator=ScriptedGenerator([fast]),
        executor=ScriptedExecutor({task.baseline.digest: 1.0, fast.digest: 2.0}),
        policy=BestOfN(n=1),
        budget=Budget(evaluations=1),
    ).run()
    shown = printed(result, terminal=False)
    assert "faster by compiler flags alone" in shown
    assert "no patch: the flags are in no file of the project" in shown


def test_how_to_go_on_is_shown_without_the_password_of_the_store(search: Search) -> None:
    store = "postgresql://me:hunter2@host/runs?sslpassword=hunter3"
    commands = next_commands(search.run(), Budget(evaluations=1), store)
    assert commands
    for command in commands:
        assert "hunter" not in command
        assert command.endswith("--store 'postgresql://me:***@host/runs?sslpassword=***'")


def test_a_budget_to_go_on_with_is_above_all_that_was_spent(search: Search) -> None:
    result = replace(
        search.run(), spent=Cost(evaluations=15, dollars=2.5, seconds=100.4), reducing=10
    )
    budget = Budget(evaluations=5, dollars=2.0, seconds=60.0)
    command = next_commands(result, budget, None)[-1].split()
    more = Budget.parse(command[command.index("--budget") + 1])
    more.check_above(result.spent)
    assert (more.evaluations, more.dollars, more.seconds) == (20, 5.0, 161.0)


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("terminal", [True, False])
def test_five_lines_fit_and_hold_no_spaces_at_their_ends(
    search: Search, width: int, terminal: bool
) -> None:
    result = search.run()
    written = io.StringIO()
    console = Console(file=written, width=width, force_terminal=terminal, color_system=None)
    print_summary(console, result, Path.cwd() / "a.cpp", ["maxcode " + 40 * "x", "maxcode show"])
    lines = written.getvalue().splitlines()
    assert lines == [line.rstrip() for line in lines]
    assert max(map(len, lines)) <= width
    names = [line[:10].strip() for line in lines if line[9] == " "]
    assert [name for name in names if name] == ["safe?", "changed", "saved", "next"]
    assert len(lines) == (5 if width > 60 else 7)


def test_a_run_cut_short_before_its_last_comparison_is_not_confirmed(
    search: Search, printed: Callable[..., str]
) -> None:
    steps = search.steps()
    next(steps)
    steps.close()
    result = Result.of(search.state)
    assert result.status == "interrupted"
    assert result.improved
    text = printed(result, terminal=False)
    assert "words: 2.00x faster" in text
    assert ", unconfirmed\n" in text


def test_the_change_is_told_by_places_lines_and_steps(
    search: Search, printed: Callable[..., str]
) -> None:
    text = printed(search.run(), terminal=False)
    assert re.search(r"changed   \S+, 2 places \(\+61 -1\): #1 ", text)
    assert "+helper" not in text


def test_a_machine_that_the_program_needs_is_named(printed: Callable[..., str]) -> None:
    vector = Program.of('__attribute__((target("avx512f"))) fast')
    search = Search(
        Task("words", "", SLOW),
        generator=ScriptedGenerator([vector]),
        executor=ScriptedExecutor({SLOW.digest: 1.0, vector.digest: 2.0}),
        policy=BestOfN(n=1),
        budget=Budget(evaluations=1),
    )
    assert "needs AVX-512\n" in printed(search.run(), terminal=False)


@pytest.fixture
def last_round() -> Callable[..., Result]:
    """A search that hands back the best of its last round, which is not the best there was."""

    def run(rounds: list[list[str]]) -> Result:
        return Search(
            Task("words", "", Program.of("1.0")),
            generator=ScriptedGenerator(rounds),
            executor=ScriptedExecutor(toy_verdict),
            policy=CudaLLM(n=2, d=2, final_round=True),
        ).run()

    return run


def test_a_search_that_hands_back_another_says_which_is_the_best(
    last_round: Callable[..., Result], printed: Callable[..., str]
) -> None:
    text = printed(last_round([["2.0", "8.0"], ["1.5", "0.5"]]), terminal=False)
    assert "words: 1.50x faster" in text
    assert "#3, by the rules of the policy; the best of the run is #2, 8.00x confirmed" in text


def test_what_is_handed_back_may_be_slower_than_what_was_found(
    last_round: Callable[..., Result], printed: Callable[..., str]
) -> None:
    result = last_round([["2.0", "8.0"], ["0.6", "0.5"]])
    text = printed(result, terminal=False)
    assert "words: nothing faster returned" in text
    assert "#3, by the rules of the policy; the best of the run is #2, 8.00x" in text
    assert re.search(r"closest +8.00x \[7.99, 8.01\] confirmed: #2 scripted", text)
    assert next_commands(result, Budget(), None)[0] == "maxcode show --step 2"
    assert "when first timed" not in text


def test_a_run_that_failed_needs_no_other_seed(printed: Callable[..., str]) -> None:
    def unable(observation: Observation, n: int) -> list[Answer]:
        raise ModelError("no such model")

    search = Search(
        Task("words", "", SLOW),
        generator=ScriptedGenerator(unable),
        executor=ScriptedExecutor({SLOW.digest: 1.0}),
        policy=BestOfN(n=1),
    )
    with pytest.raises(ModelError):
        search.run()
    text = printed(Result.of(search.state), terminal=False)
    assert "no such model" in text
    assert "try " not in text


def test_a_run_interrupted_before_a_verdict_says_so_and_tries_nothing(
    printed: Callable[..., str],
) -> None:
    def cut_off(observation: Observation, n: int) -> list[Answer]:
        raise KeyboardInterrupt

    search = Search(
        Task("words", "", SLOW),
        generator=ScriptedGenerator(cut_off),
        executor=ScriptedExecutor({SLOW.digest: 1.0}),
        policy=BestOfN(n=1),
    )
    text = printed(search.run(), terminal=False)
    assert text.startswith("words: interrupted before any candidate was judged\n")
    assert "nothing faster" not in text
    assert "try " not in text


def test_a_score_that_an_interruption_kept_out_of_the_tree_is_told(
    printed: Callable[..., str],
) -> None:
    def interrupt(event: Event, _: RunState) -> None:
        if isinstance(event, Evaluated):
            raise KeyboardInterrupt

    search = Search(
        Task("words", "", SLOW),
        generator=ScriptedGenerator([FAST]),
        executor=ScriptedExecutor({SLOW.digest: 1.0, FAST.digest: 2.3}),
        policy=BestOfN(n=1),
        observers=[interrupt],
    )
    result = search.run()
    assert len(result.tree) == 1
    assert "the best first score is 2.30x, unconfirmed" in printed(result, terminal=False)


@pytest.fixture
def slowed() -> Result:
    """A run on a machine that was slower when the best was confirmed than at the beginning."""
    search = Search(
        Task("words", "", SLOW),
        generator=ScriptedGenerator([FAST]),
        executor=ScriptedExecutor(
            {SLOW.digest: 1 / 0.129, FAST.digest: 1.4 / 0.129},
            truth={SLOW.digest: 1 / 0.183, FAST.digest: 1 / 0.134},
        ),
        policy=BestOfN(n=1),
        budget=Budget(evaluations=1),
    )
    return search.run()


@pytest.mark.slow
def test_all_figures_are_those_of_the_confirmation(
    slowed: Result, printed: Callable[..., str]
) -> None:
    assert slowed.confirmed
    document = result_document(slowed, slowed.status, None)
    assert document["baseline_seconds"] == pytest.approx(0.183)
    measured = {"meter": "script", "unit": "s", "before": 0.183, "now": 0.134}
    assert document["measured"] == pytest.approx(measured)
    assert "183 ms before, 134 ms now" in slowed._repr_html_()
    assert "(183 -> 134 ms)" in printed(slowed, terminal=False)
    for text in (printed(slowed, terminal=False), slowed._repr_html_()):
        assert "129 ms" not in text


def test_a_note_of_version_0_1_shows_no_second_set_of_figures() -> None:
    def shown(note: str) -> str:
        return described(Baseline((Measurement("cpu", "s", (0.129,)),), note))

    cpp = "1 test, 0.129 s of cpu time (median of 6, 0.128 to 0.131), g++ -O3, isolated"
    assert shown(cpp) == "1 test, g++ -O3, isolated"
    kernel = (
        "2 kinds of inputs, 1.3 ms a call (median of 8), isolated, on the CPU; beware: x (y), z"
    )
    assert shown(kernel) == "2 kinds of inputs, isolated, on the CPU; beware: x (y), z"
    assert shown("simulated: nothing was measured") == "simulated: nothing was measured"


@pytest.mark.parametrize(
    ("status", "reason", "told"),
    [
        ("done", "budget spent: evaluations", "budget spent: evaluations"),
        ("interrupted", "interrupted", "interrupted"),
        ("failed", "", "failed"),
        ("running", "", ""),
        ("killed", "", "its process ended without a word; resume goes on with it"),
    ],
)
def test_a_run_that_ended_says_why(status: str, reason: str, told: str) -> None:
    assert ending(status, reason) == told


@pytest.mark.parametrize(
    ("meter", "unit", "value", "floor", "told"),
    [
        (
            "cpu",
            "s",
            1.2e-3,
            1e-3,
            "takes 1.2 ms, of which 1 ms is what a program that does nothing",
        ),
        ("cpu", "s", 1.2e-3, 1e-3, "no candidate can be more than 1.20x faster; larger inputs"),
        ("cpu", "s", 1e-3, 1.1e-3, "next to nothing can be gained"),
        ("peak_memory", "B", 3.6e6, 3.4e6, "takes 3.6 MB, of which 3.4 MB"),
        ("cpu", "s", 0.02, None, "takes only 20 ms: larger inputs"),
        ("cpu", "s", 0.02, 1e-3, "takes only 20 ms: larger inputs"),
    ],
)
def test_a_program_too_small_to_gain_is_doubted(
    meter: str, unit: str, value: float, floor: float | None, told: str
) -> None:
    (doubt,) = doubts(Baseline((Measurement(meter, unit, (value,)),), floor=floor))
    assert told in doubt


def test_a_noisy_machine_is_doubted_and_a_quiet_long_run_is_not() -> None:
    measured = (Measurement("cpu", "s", (0.3,)),)
    (doubt,) = doubts(Baseline(measured, noise=0.2))
    assert "differ by 20 %" in doubt
    assert doubts(Baseline(measured, noise=0.01)) == []


def test_few_further_inputs_are_not_taken_for_agreement(
    search: Search, printed: Callable[..., str]
) -> None:
    executor = search.plugins.executor
    assert isinstance(executor, ScriptedExecutor)
    executor.fuzzed = lambda program, plan: FuzzResult(1, why="no time", wanted=plan.count)
    result = search.run()
    few = "compared on only 1 of 500 further inputs"
    text = printed(result, terminal=False)
    assert "and 1 generated input (500 were wanted)\n" in text
    page = run_data(RunDocument.of(History.of(search.state.log)))["parts"]
    assert f"little is compared</span> {few}" in page["headline"]
    told = result_document(result, "done", None)["best"]
    assert isinstance(told, dict)
    fuzzed = told["fuzzed"]
    assert isinstance(fuzzed, dict)
    assert (fuzzed["wanted"], fuzzed["few"]) == (500, True)


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
    search: Search, printed: Callable[..., str], held_out: HeldOut, told: str, said: str
) -> None:
    executor = search.plugins.executor
    assert isinstance(executor, ScriptedExecutor)
    executor.fuzzed = lambda program, plan: FuzzResult(plan.count, 3)
    executor.held = lambda program: held_out
    result = search.run()
    assert told in printed(result, terminal=False)
    both = "2.00x faster on the tests given, 1.02x on 6 inputs held out"
    differs = held_out.ratio is not None and held_out.ratio.value < 1.5
    page = run_data(RunDocument.of(History.of(search.state.log)))["parts"]
    for shown in (re.sub("<[^>]*>", "", page["headline"]), result._repr_html_()):
        assert (both in shown) is differs
    assert said in html.unescape(page["facts"])
    best = result_document(result, "done", None)["best"]
    assert isinstance(best, dict)
    assert best["fuzzed"] == {
        **dict.fromkeys(("learned", "why", "problem", "remark"), ""),
        "agreed": 500,
        "beyond": None,
        "rejected": 3,
        "counterexample": None,
        "seconds": 0.0,
        "wanted": 0,
        "few": False,
    }
