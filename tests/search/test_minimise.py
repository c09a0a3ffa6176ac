"""What is left of a best program when nothing is left that gains nothing."""

from pathlib import Path

import pytest
from tests._runs import MakeSearch

from maxcode.budget import Budget
from maxcode.evaluation import Comparison, Interval, Status
from maxcode.journal.events import (
    Event,
    HunksMeasured,
    Reduced,
    ReductionStarted,
    VariantCompared,
    VariantEvaluated,
)
from maxcode.journal.state import RunState
from maxcode.options import Options
from maxcode.policies.best_of_n import BestOfN
from maxcode.program import Program
from maxcode.search.result import Result
from maxcode.search.search import Search
from maxcode.search.summary import reduction, why_no_worth
from maxcode.task import Task
from maxcode.testing import ScriptedExecutor, ScriptedGenerator, outline

LINES = [f"line {number}" for number in range(60)]
WINNERS = Path(__file__).parent / "winners"


def text(**changed: str) -> str:
    """The lines, some of them changed: ``_3="fast"`` changes the fourth."""
    lines = [changed.get(f"_{number}", line) for number, line in enumerate(LINES)]
    return "\n".join(lines) + "\n"


TASK = Task("lines", "Make them fast.", Program.of(text(), "lines.txt"))
WINNER = text(_5="fast", _20="useless", _35="needed by fast", _50="useless, too")
SMALL = text(_5="fast", _35="needed by fast")


def verdict(program: Program) -> float | Status:
    """A line that says fast doubles the speed, and is wrong without the one that it needs."""
    if "\nfast\n" in program.code and "needed by fast" not in program.code:
        return Status.WRONG_ANSWER
    return 2.0 if "\nfast\n" in program.code else 1.0


Events = list[Event]


@pytest.fixture
def reducing(toy: MakeSearch) -> MakeSearch:
    """Makes a search that finds one program, ``winner``, and reduces it."""

    def make(winner: str = WINNER, **given: object) -> Search:
        arguments = {
            "task": TASK,
            "generator": ScriptedGenerator([[winner]]),
            "executor": ScriptedExecutor(verdict),
            "policy": BestOfN(batch=1),
            "budget": Budget(evaluations=1),
        }
        return toy(**{**arguments, **given})

    return make


def events(search: Search) -> Events:
    kinds = (ReductionStarted, VariantEvaluated, VariantCompared, Reduced, HunksMeasured)
    happened = [recorded.event for recorded in search.state.log.events()]
    return [event for event in happened if isinstance(event, kinds)]


def test_changes_that_gain_nothing_are_left_out(reducing: MakeSearch) -> None:
    search = reducing()
    result = search.run()
    assert result.program.code == SMALL
    assert (result.improved, result.confirmed, result.speedup.value) == (True, True, 2.0)
    assert result.reduced == Reduced(step=1, program=result.program.digest, before=8, after=4)
    assert (result.best.parent, result.best.reduced_from) == (1, 1)
    assert result.tree[1].program.code == WINNER  # as it was found
    assert result.best.summary == "#1 reduced from 8 changed lines to 4"
    assert dict(reduction(result.tree, result.reduced)) == {
        "reduced": "from 8 changed lines to 4; as it was: --step 1"
    }
    again = Result.of(RunState.load(search.state.log))
    assert outline(again.tree) == outline(result.tree)
    assert (again.program, again.hunks) == (result.program, result.hunks)


def test_what_each_remaining_hunk_is_worth(reducing: MakeSearch) -> None:
    def fast(program: Program) -> float | Status:
        if "must" in WINNER_OF_THREE and "must" not in program.code:
            return 1.0 if program == TASK.baseline else Status.BUILD_ERROR
        return (2.0 if "twice" in program.code else 1.0) * (1.5 if "half" in program.code else 1.0)

    WINNER_OF_THREE = text(_5="twice", _25="must", _45="half")  # noqa: N806 - a constant here
    result = reducing(WINNER_OF_THREE, executor=ScriptedExecutor(fast)).run()
    assert result.program.code == WINNER_OF_THREE
    assert result.reduced is not None
    assert not result.reduced.program
    worths = [hunk.worth and round(hunk.worth.value, 3) for hunk in result.hunks]
    assert worths == [2.0, None, 1.5]
    assert "build_error" in result.hunks[1].problem
    headers = [f"@@ -{line} +{line} @@" for line in (6, 26, 46)]
    assert [hunk.header for hunk in result.hunks] == headers


def test_a_line_beside_hundreds_is_measured_and_stays(reducing: MakeSearch) -> None:
    helpers = "\n".join(f"helper {number}" for number in range(200))
    winner = text(_5="fast", _35=f"needed by fast\n{helpers}", _50="useless")
    search = reducing(winner)
    result = search.run()
    assert result.program.code == winner
    assert not [one for one in events(search) if getattr(one, "purpose", "") == "drop"]
    assert [hunk.worth and hunk.worth.value for hunk in result.hunks] == [2.0, None, 1.0]


def test_there_is_a_share_of_the_budget_for_it(reducing: MakeSearch) -> None:
    many = text(**{f"_{2 * number}": "fast" for number in range(30)})

    def each_counts(program: Program) -> float:
        return 1.0 + program.code.count("fast")

    result = reducing(many, executor=ScriptedExecutor(each_counts)).run()
    assert result.spent.evaluations == 1 + 5
    assert result.program.code == many
    assert result.reduced is not None
    search = reducing(options=Options(minimise=0.0))
    assert search.run().program.code == WINNER
    assert events(search) == []


def test_a_rewrite_is_not_reduced(reducing: MakeSearch) -> None:
    winner = WINNERS / "edit_distance.cpp"
    code = (WINNERS.parents[2] / "examples/cpp/edit_distance/main.cpp").read_text()
    task = Task("rewrite", "", Program.of(code))
    executor = ScriptedExecutor(lambda one: 9.0 if "_mm512" in one.code else 1.0)
    search = reducing(winner.read_text(), task=task, executor=executor)
    result = search.run()
    assert result.speedup.value == 9.0
    assert (events(search), result.hunks, executor.count("evaluate")) == ([], (), 1)
    why = why_no_worth("reduce", result.tree, result.best)
    assert why == "the change is one piece, worth all of the speedup"


def test_ctrl_c_skips_it(reducing: MakeSearch) -> None:
    def skip(event: Event, _: RunState) -> None:
        if isinstance(event, VariantEvaluated):
            raise KeyboardInterrupt

    search = reducing(observers=[skip])
    result = search.run()
    assert (result.status, result.reason) == ("done", "budget spent: evaluations")
    assert (result.program.code, result.confirmed, result.reduced) == (WINNER, True, None)
    assert reducing(journal=search.state.log).reduce().program.code == SMALL


class Judging(ScriptedExecutor):
    """Answers whether a program is as fast as another from a list, and from then on that it is."""

    def __init__(self, *answers: Interval) -> None:
        super().__init__(verdict)
        self.answers = list(answers)

    def compare(self, task: Task, a: Program, b: Program, *, margin: float = 0.0) -> Comparison:
        if not margin:
            return super().compare(task, a, b)
        self.calls.append(("within", (a, b)))
        ratio = self.answers.pop(0) if self.answers else Interval(1.0, 0.999, 1.001)
        return Comparison(ratio)


UNCLEAR = Interval(1.0, 0.95, 1.05, 0.9995)
SLOWER = Interval(0.9, 0.89, 0.91, 0.9995)


def test_what_cannot_be_told_is_kept(reducing: MakeSearch) -> None:
    result = reducing(executor=Judging(*[UNCLEAR] * 99)).run()
    assert result.program.code == WINNER
    assert result.reduced is not None
    assert not result.reduced.program


def test_a_reduced_program_that_does_not_hold_leaves_the_best_as_it_was(
    reducing: MakeSearch,
) -> None:
    good = Interval(1.0, 0.999, 1.001)
    result = reducing(executor=Judging(good, good, SLOWER)).run()
    assert result.program.code == WINNER
    assert result.reduced is not None
    assert not result.reduced.program


@pytest.mark.slow
def test_a_reduction_that_is_cut_off_goes_on_to_the_same_end(reducing: MakeSearch) -> None:
    executor = ScriptedExecutor(verdict)
    whole = reducing(executor=executor)
    expected = outline(whole.run().tree)
    hunks = Result.of(whole.state).hunks
    judged, compared = executor.count("evaluate"), executor.count("compare")
    moments = len(list(whole.state.log.events()))
    first = moments - 1 - len(events(whole))
    for moment in range(first, moments + 1):

        def cut(event: Event, state: RunState, at: int = moment) -> None:
            if state.last_event == at:
                raise KeyboardInterrupt

        one, other = ScriptedExecutor(verdict), ScriptedExecutor(verdict)
        search = reducing(executor=one, observers=[cut])
        search.run()
        result = reducing(executor=other, journal=search.state.log).run()
        assert outline(result.tree) == expected, f"cut off at event {moment}"
        assert (result.hunks, result.reason) == (hunks, "budget spent: evaluations")
        assert one.count("evaluate") + other.count("evaluate") == judged
        assert one.count("compare") + other.count("compare") == compared


def test_a_finished_run_is_reduced_later(reducing: MakeSearch) -> None:
    search = reducing(options=Options(minimise=0.0))
    assert search.run().program.code == WINNER
    later = reducing(journal=search.state.log)
    result = later.reduce()
    assert (result.program.code, result.status) == (SMALL, "done")
    assert result.reason == "budget spent: evaluations"
    once_more = reducing(journal=search.state.log)
    before = len(events(once_more))
    once_more.reduce()
    assert len(events(once_more)) == before


@pytest.mark.slow
def test_a_reduction_goes_on_where_its_share_ended(reducing: MakeSearch) -> None:
    mixed = {f"_{4 * n}": "useless" if n % 2 else "fast" for n in range(14)}

    def each_counts(program: Program) -> float:
        return 1.0 + program.code.count("fast")

    executor = ScriptedExecutor(each_counts)
    search = reducing(text(**mixed), executor=executor, options=Options(minimise=0))
    search.run()
    left: list[int] = []
    seen = 0
    while seen != executor.count("evaluate"):  # until it came to its end
        seen = executor.count("evaluate")
        search = reducing(executor=executor, journal=search.state.log)
        left.append(search.reduce().program.code.count("useless"))
    assert left[0] > left[-1] == 0
    assert left == sorted(left, reverse=True)
