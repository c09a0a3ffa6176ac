"""A run logger tells every evaluation once, and never stands in a search's way."""

from collections.abc import Callable
from pathlib import Path
from threading import Event as Signal

import pytest
from tests._runs import begun

from maxcode.budget import Budget
from maxcode.errors import JournalError, ToolError
from maxcode.evaluation import Status
from maxcode.journal.events import Committed, Event
from maxcode.journal.journal import Journal
from maxcode.journal.state import RunState
from maxcode.policies.best_of_n import BestOfN
from maxcode.report.history import Point
from maxcode.report.loggers import Ending, Facts, RunLogger, require
from maxcode.search.search import Search
from maxcode.testing import ScriptedGenerator, outline


class Book:
    """Log of a run; ``write`` may fail."""

    def __init__(self, facts: Facts, write: Callable[[Point], object]) -> None:
        self.facts, self.write = facts, write
        self.points: list[Point] = []
        self.endings: list[Ending] = []

    @property
    def numbers(self) -> list[int]:
        return [point.evaluation for point in self.points]

    @property
    def last(self) -> int:
        return max(self.numbers, default=-1)

    def log(self, point: Point) -> None:
        self.write(point)
        self.points.append(point)

    def finish(self, ending: Ending) -> None:
        self.endings.append(ending)


class Keeping(RunLogger):
    """Logs into books, a book for each run."""

    def __init__(self, write: Callable[[Point], object] = lambda point: None) -> None:
        super().__init__()
        self.books: dict[str, Book] = {}
        self.write = write

    def open(self, run: Facts) -> Book:
        book = self.books.setdefault(run.run_id, Book(run, self.write))
        book.write = self.write
        return book


def test_each_evaluation_is_a_point(full: Callable[..., Search]) -> None:
    logger = Keeping()
    search = full(budget=Budget(evaluations=12), observers=[logger])
    result = search.run()
    book = logger.books[search.run_id]
    assert book.numbers == list(range(13))
    judged = [step for step in result.tree if step.cost.evaluations]
    assert [point.values["score"] for point in book.points[1:]] == [step.reward for step in judged]
    moments = [point.at for point in book.points]
    assert moments == sorted(moments)
    last = book.points[-1].values
    assert last["best/speedup"] == result.speedup.value
    assert last["spent/tokens"] == result.spent.tokens
    counts = {status: last.get(f"status/{status}", 0) for status in Status}
    after = [s for s in result.tree if s.id > judged[-1].id]  # they have no point of their own
    for step in after:
        counts[step.evaluation.status] += 1
    assert {s: n for s, n in counts.items() if n} == result.by_status
    assert book.points[0].values["best/speedup"] == 1.0
    (ending,) = book.endings
    assert (ending.program, ending.status) == (result.program, "done")
    assert f"{result.task}: " in ending.headline
    assert ending.figures["speedup"] == result.speedup.value
    assert book.facts.settings["budget"] == "evaluations=12"
    assert book.facts.settings["policy"] == "ToyPolicy"


def test_a_new_best_counts_from_its_own_evaluation_on(toy: Callable[..., Search]) -> None:
    logger = Keeping()
    generator = ScriptedGenerator([["1.5", "0.5"], ["1.1", "2.0"]])
    search = toy(generator=generator, policy=BestOfN(batch=2, n=4), observers=[logger])
    result = search.run()
    points = logger.books[search.run_id].points
    best = [point.values["best/speedup"] for point in points]
    assert best == pytest.approx([1.0, 1.5, 1.5, 1.5, 2.0], rel=0.01)
    assert result.confirmed  # by one comparison: narrower than the product of two
    assert points[-1].values["best/low"] == result.speedup.low


def test_a_run_that_ended_before_its_comparison_has_the_points_of_one_that_did_not(
    toy: Callable[..., Search], journal: Journal
) -> None:
    def fail(event: Event, state: RunState) -> None:
        if isinstance(event, Committed) and len(state.tree) == 5:
            raise RuntimeError("enough")

    live, later = Keeping(), Keeping()
    given = {"policy": BestOfN(batch=2, n=4), "observers": [live, fail]}
    first = toy(generator=ScriptedGenerator([["1.5", "0.5"], ["1.1", "2.0"]]), **given)
    with pytest.raises(RuntimeError, match="enough"):
        first.run()
    book = live.books[first.run_id]
    assert book.numbers == [0, 1, 2]  # of the others a comparison has yet to decide
    toy(**given, journal=journal.run(first.run_id)).run()
    later.replay(journal.run(first.run_id))
    best = [point.values["best/speedup"] for point in book.points]
    assert best == pytest.approx([1.0, 1.5, 1.5, 1.5, 2.0], rel=0.01)
    assert book.points == later.books[first.run_id].points


@pytest.mark.slow
def test_a_resumed_run_is_logged_on_without_twins(
    full: Callable[..., Search], journal: Journal
) -> None:
    logger, whole = Keeping(), Keeping()
    first = full(observers=[logger])
    steps = first.steps()
    for _ in range(9):
        next(steps)
    steps.close()
    before = list(logger.books[first.run_id].numbers)
    full(journal=journal.run(first.run_id), observers=[logger]).run()
    book = logger.books[first.run_id]
    assert 0 < len(before) < len(book.numbers)
    assert [ending.status for ending in book.endings] == ["interrupted", "done"]
    whole.replay(journal.run(first.run_id))
    assert book.points == whole.books[first.run_id].points


@pytest.mark.slow
def test_a_logger_that_fails_is_told_of_once_and_harms_nothing(
    full: Callable[..., Search], journal: Journal
) -> None:
    def write(point: Point) -> None:
        if point.evaluation == 4:
            raise OSError("the disk is full")

    logger = Keeping(write)
    search = full(observers=[logger])
    with pytest.warns(RuntimeWarning, match="the disk is full") as told:
        result = search.run()
    assert len(told) == 1
    assert search.run_id in str(told[0].message)
    assert outline(result.tree) == outline(full().run().tree)
    assert logger.books[search.run_id].numbers == [0, 1, 2, 3]
    logger.write = lambda point: None
    logger.replay(journal.run(search.run_id))
    assert logger.books[search.run_id].numbers == list(range(31))


def test_a_search_waits_for_its_logger_so_long_and_no_longer(
    toy: Callable[..., Search],
) -> None:
    again = Signal()
    logger, told = Keeping(lambda point: again.wait(timeout=60)), list[str]()
    logger.report = told.append
    logger.patience = 0.01
    search = toy(observers=[logger])
    assert search.run().tree
    (problem,) = told
    assert f"Keeping has not logged all of run {search.run_id} in time" in problem
    again.set()


def test_a_run_without_a_baseline_cannot_be_logged(journal: Journal) -> None:
    with pytest.raises(JournalError, match="before its baseline was measured"):
        Keeping().replay(begun(journal))


def test_a_library_that_is_missing_says_which_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = r"no_such_library is missing here: pip install 'maxcode\[no_such_library\]'"
    with pytest.raises(ToolError, match=said):
        require("no_such_library")
    (tmp_path / "no_such_library").mkdir()  # as wandb leaves one in the working folder
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ToolError, match=said):
        require("no_such_library")
