"""What a report shows of lanes, by what the journal holds of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count, cycle

from maxcode.evaluation import Comparison, Evaluation, Status
from maxcode.program import Program
from maxcode.report.document import RunDocument
from maxcode.report.history import History
from maxcode.report.page import run_data
from maxcode.search.search import Search
from maxcode.task import Task
from maxcode.testing import ScriptedExecutor, toy_verdict

PLACES = ("10.0.0.2/10 processor 1", "10.0.0.2/9 processor 0", "10.0.0.3/0 processor 1, GPU 2")
ASIDE = "lane 10.0.0.4/0 is set aside: it has g++ <b>12.2</b>, not 14.1"


class Spread(ScriptedExecutor):
    """Judges on three lanes in turn, and loses every fifth attempt on the first."""

    def __init__(self) -> None:
        super().__init__(toy_verdict)
        self.places, self.attempts, self.notes = cycle(PLACES), count(1), [ASIDE]

    def evaluate(self, task: Task, program: Program, **_: object) -> Evaluation:
        if next(self.attempts) % 5 == 0:
            return Evaluation(Status.INFRASTRUCTURE, feedback="lost", place=PLACES[0])
        found = super().evaluate(task, program)
        return replace(found, seconds=0.25, place=next(self.places))

    def compare(self, task: Task, a: Program, b: Program, **_: object) -> Comparison:
        return replace(super().compare(task, a, b), seconds=0.5, place=PLACES[2])

    def new_notes(self) -> Sequence[str]:
        new, self.notes = self.notes, []
        return new


def test_lanes_are_counted_and_named_in_their_order(toy: Callable[..., Search]) -> None:
    search = toy(executor=Spread())
    result = search.run()
    used = RunDocument.of(History.of(search.state.log)).lanes
    assert [line.lane for line in used.lines] == ["10.0.0.2/9", "10.0.0.2/10", "10.0.0.3/0"]
    assert [line.on for line in used.lines] == ["processor 0", "processor 1", "processor 1, GPU 2"]
    assert sum(line.judged for line in used.lines) == result.spent.evaluations
    assert [line.failures for line in used.lines] == [0, (result.spent.evaluations - 1) // 4, 0]
    assert [bool(line.compared) for line in used.lines] == [False, False, True]
    assert used.nodes == 2
    for line in used.lines:
        assert line.seconds == 0.25 * line.judged + 0.5 * line.compared
    assert used.notes == (ASIDE,)


def test_the_page_has_them_as_text(toy: Callable[..., Search]) -> None:
    search = toy(executor=Spread())
    search.run()
    part = run_data(RunDocument.of(History.of(search.state.log)))["parts"]["lanes"]
    assert "3 lanes on 2 nodes" in part
    assert "&lt;b&gt;12.2&lt;/b&gt;" in part


def test_a_run_on_this_machine_has_none(toy: Callable[..., Search]) -> None:
    search = toy()
    search.run()
    run = RunDocument.of(History.of(search.state.log))
    assert not run.lanes.lines
    assert not run_data(run)["parts"]["lanes"].strip()
