"""Decisions: the states of a search, the candidates there, and their outcomes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from maxcode.evaluation import Status
from maxcode.journal.events import Asked, Proposed, Ranked
from maxcode.journal.journal import RunLog
from maxcode.journal.state import RunState
from maxcode.observation import Observation
from maxcode.program import Program
from maxcode.search.session import plain_path
from maxcode.task import Task
from maxcode.tree import SearchTree, Step, Value

_NO_VERDICT = (Status.INVALID, Status.INFRASTRUCTURE)


@dataclass(frozen=True)
class Candidate:
    """A program proposed in a state.

    ``step`` is its step, None where it was not run. ``estimate`` is by the run's reward-to-go
    model, if any; ``explored``: it was run whatever the estimate. ``futures`` are the rewards of
    each path through it, from its own on to a leaf of the tree; empty where it was not run. Steps
    that were invalid, or failed with the harness, are no part of a path.
    """

    program: Program
    step: Step | None = None
    estimate: Value | None = None
    explored: bool = True
    futures: tuple[tuple[float, ...], ...] = ()


@dataclass(frozen=True)
class Decision:
    """A state of a run, as a reward-to-go model is shown it, and the candidates there.

    ``task`` is the task's digest: tasks of the same name may differ.
    """

    run: str
    task: str
    observation: Observation
    candidates: tuple[Candidate, ...]

    @property
    def steered(self) -> bool:
        """Whether a model made estimates here, which later steps may have followed."""
        return any(candidate.estimate for candidate in self.candidates)

    @property
    def judged(self) -> tuple[Candidate, ...]:
        """The executed candidates."""
        return tuple(candidate for candidate in self.candidates if candidate.step)


def decisions(log: RunLog) -> Iterator[Decision]:
    """The decisions of a run, in the order of commitment; none without a verdict.

    Left out are answers without a program, programs judged before in the run, and those on which
    the harness failed.
    """
    state, parents = RunState(log), list[int]()
    proposed: dict[int, Proposed] = {}
    ranked: dict[int, Ranked] = {}
    for recorded in log.events():
        match recorded.event:
            case Asked() as event:
                parents += (expansion.parent for expansion in event.expansions)
            case Proposed() as event:
                proposed[event.number] = event
            case Ranked() as event:
                ranked[event.number] = event
        state.apply(recorded)
    started = state.started
    if started is None or not state.has_tree:
        return
    tree, steps = state.tree, _judged(state.tree)
    task = Task(started.task, started.statement, tree.root.program, language=started.language)
    for number, found in sorted(proposed.items()):
        own = _candidates(state, found, ranked.get(number), steps.get(number, {}))
        candidates = tuple(own)
        if any(candidate.step for candidate in candidates):
            path = plain_path(tree, parents[number])
            seen = Observation(task, path.steps[-1], number, trajectory=path, machine=state.machine)
            yield Decision(log.run_id, started.task_digest, seen, candidates)


def _judged(tree: SearchTree) -> dict[int, dict[str, Step]]:
    """The steps with a verdict on their program, by expansion and program."""
    found: dict[int, dict[str, Step]] = {}
    for step in tree:
        if step.reduced_from is not None:
            continue  # no expansion proposed it
        if step.duplicate_of is None and step.evaluation.status not in _NO_VERDICT:
            found.setdefault(step.expansion, {})[step.program.digest] = step
    return found


def _candidates(
    state: RunState, proposed: Proposed, ranked: Ranked | None, steps: dict[str, Step]
) -> Iterator[Candidate]:
    """The candidates of an expansion; ``steps`` has those with a verdict."""
    for index, proposal in enumerate(proposed.proposals):
        if proposal.program is None:
            continue
        run = ranked is None or index in ranked.chosen
        estimate = ranked.values[index] if ranked else None
        step = steps.pop(proposal.program, None) if run else None
        if step is None and (run or estimate is None):
            continue  # a duplicate, or without a verdict
        yield Candidate(
            state.log.program(proposal.program),
            step,
            estimate,
            ranked is None or index in ranked.explored,
            tuple(_futures(state.tree, step)) if step else (),
        )


def _futures(tree: SearchTree, step: Step) -> Iterator[tuple[float, ...]]:
    """The rewards along every path through a step, from its own to a leaf's.

    They are made anew for each step: those of all steps of a long run do not fit into memory.
    Programs reduced after the search are on no path.
    """
    unfinished: list[tuple[Step, tuple[float, ...]]] = [(step, (step.reward,))]
    while unfinished:
        last, rewards = unfinished.pop()
        children = [
            child
            for child in map(tree.__getitem__, tree.children(last.id))
            if child.evaluation.status not in _NO_VERDICT and child.reduced_from is None
        ]
        if not children:
            yield rewards
        unfinished += [(child, (*rewards, child.reward)) for child in reversed(children)]
