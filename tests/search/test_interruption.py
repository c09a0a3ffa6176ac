"""Searches that end before their time, and how they go on."""

import re
import signal
from collections.abc import Callable
from random import Random
from threading import Event as ThreadEvent
from threading import main_thread
from typing import ParamSpec, TypeVar

import pytest
from tests._runs import MakeSearch

from maxcode.errors import PluginError, PolicyError
from maxcode.evaluation import Baseline, Counterexample, Evaluation, FuzzPlan, FuzzResult
from maxcode.journal.events import Event, Fuzzed
from maxcode.journal.state import RunState
from maxcode.options import Options
from maxcode.program import Program
from maxcode.search.search import Search
from maxcode.task import Task
from maxcode.testing import (
    ScriptedExecutor,
    ToyPolicy,
    outline,
    toy_plugins,
    toy_verdict,
)
from maxcode.tree import ROOT, Expansion, SearchTree

P = ParamSpec("P")
T = TypeVar("T")


def struck(error: BaseException, call: int, work: Callable[P, T]) -> Callable[P, T]:
    """Does the work, but raises the error once, at that call."""
    calls = 0

    def work_or_raise(*args: P.args, **kwargs: P.kwargs) -> T:
        nonlocal calls
        calls += 1
        if calls == call:
            raise error
        return work(*args, **kwargs)

    return work_or_raise


def failing(role: str, method: str, call: int, error: BaseException) -> dict[str, object]:
    """The toy plug-in of a role, one of whose calls raises the error."""
    plugin = toy_plugins()[role]
    setattr(plugin, method, struck(error, call, getattr(plugin, method)))
    return {role: plugin}


def ignore(event: Event, state: RunState) -> None:
    """An observer that does nothing."""


def refuting(program: Program, plan: FuzzPlan) -> FuzzResult:
    """Finds about half of all programs wrong, each on an input of its own or a known one."""
    if int(program.digest[:1], 16) >= 9:
        return FuzzResult(plan.count)
    found = plan.known[-1] if plan.known else Counterexample(program.digest)
    return FuzzResult(problem="wrong", counterexample=found)


@pytest.mark.slow
@pytest.mark.parametrize("fuzzed", [None, refuting])
def test_ctrl_c_at_any_event_and_going_on_gives_the_same_tree(
    full: MakeSearch, fuzzed: Callable[[Program, FuzzPlan], FuzzResult] | None
) -> None:
    def search(**given: object) -> Search:
        return full(executor=ScriptedExecutor(toy_verdict, fuzzed=fuzzed), **given)

    whole = search()
    expected = outline(whole.run().tree)
    events = sum(1 for _ in whole.state.log.events())
    for moment in range(5, events, 14):
        first = search(observers=[struck(KeyboardInterrupt(), moment, ignore)])
        assert first.run().status == "interrupted"
        second = search(journal=first.state.log)
        assert second.run().status == "done"
        assert outline(second.state.tree) == expected, f"interrupted at event {moment}"
        refuted = [r.event.step for r in second.state.log.events() if isinstance(r.event, Fuzzed)]
        assert len(refuted) == len(set(refuted))


def test_ctrl_c_before_the_baseline_is_known_is_raised_and_leaves_no_run(toy: MakeSearch) -> None:
    class Interrupted(ScriptedExecutor):
        def prepare(self, task: Task) -> Baseline:
            raise KeyboardInterrupt

    search = toy(executor=Interrupted(toy_verdict))
    with pytest.raises(KeyboardInterrupt):
        search.run()
    assert list(search.state.log.events()) == []


# -- plug-ins that fail ---------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("role", "method", "call", "note"),
    [
        ("generator", "propose", 3, r"raised by the generator in expansion \d"),
        ("executor", "evaluate", 5, r"raised by the executor in expansion \d"),
        ("executor", "profile", 3, r"raised by the executor in expansion \d"),
        (
            "executor",
            "compare",
            2,
            r"raised by the executor in the comparison of step \d+ with step \d",
        ),
        ("critic", "critique", 3, r"raised by the critic in expansion \d"),
        ("reward_to_go", "predict", 4, r"raised by the reward-to-go model in expansion \d"),
        ("policy", "ask", 3, r"raised by the policy in expansion \d"),
    ],
)
def test_a_plugin_that_fails_ends_the_search_which_then_goes_on(
    full: MakeSearch, role: str, method: str, call: int, note: str
) -> None:
    error = PluginError("out of order") if role == "generator" else OSError("cut off")
    search = full(**failing(role, method, call, error))
    with pytest.raises(type(error)) as caught:
        search.run()
    assert re.fullmatch(note, caught.value.__notes__[-1])
    assert search.state.stopped is not None
    assert search.state.stopped.status == "failed"
    assert search.state.stopped.reason == f"{type(error).__name__}: {error}"
    if role != "executor":  # what was found so far is confirmed all the same
        best = search.state.tree.best
        assert best.id == ROOT or search.state.tree.confirmed(best.id) is not None
    result = full(journal=search.state.log).run()
    assert result.status == "done"
    assert outline(result.tree) == outline(full().run().tree)


@pytest.mark.parametrize(
    ("expansion", "complaint"),
    [
        (Expansion(99), r"named steps that do not exist: \[99\]"),
        (Expansion(-1), r"named steps that do not exist: \[-1\]"),
        (Expansion(0, 1, exemplars=(0, 7)), r"named steps that do not exist: \[7\]"),
        (Expansion(0, 0), "asked for 0 children; at least 1"),
    ],
)
def test_a_policy_that_asks_for_nonsense(
    toy: MakeSearch, expansion: Expansion, complaint: str
) -> None:
    class Nonsense(ToyPolicy):
        def ask(self, tree: SearchTree, rng: Random) -> list[Expansion]:
            return [expansion]

    search = toy(policy=Nonsense())
    with pytest.raises(PolicyError, match=f"Nonsense {complaint}"):
        search.run()
    assert not search.state.tree.pending
    assert toy(journal=search.state.log, options=Options()).run().status == "done"


def test_an_interrupted_search_stops_its_executor(toy: MakeSearch) -> None:
    class Endless(ScriptedExecutor):
        """Judges for as long as nobody stops it; the user loses patience at once."""

        def __init__(self) -> None:
            super().__init__(toy_verdict)
            self.stopped, self.impatient = ThreadEvent(), ThreadEvent()
            self.in_time = False

        def evaluate(self, task: Task, program: Program, **how: object) -> Evaluation:
            if not self.impatient.is_set():
                self.impatient.set()
                for _ in range(10):  # one that comes as the main thread begins to wait is not seen
                    signal.pthread_kill(main_thread().ident or 0, signal.SIGINT)
                    if self.stopped.wait(5):
                        break
            self.in_time = self.stopped.wait(60)
            return super().evaluate(task, program)

        def stop(self) -> None:
            self.stopped.set()

    executor = Endless()
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in the background
    try:
        assert toy(executor=executor).run().status == "interrupted"
    finally:
        signal.signal(signal.SIGINT, before)
    assert executor.in_time
