"""A prompt of an observation, with as many parts as fit into a number of tokens."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from maxcode.errors import ContextError
from maxcode.evaluation import Status
from maxcode.models.base import Prompt
from maxcode.observation import Observation
from maxcode.program import Program
from maxcode.prompts.advice import advice_taken
from maxcode.prompts.project import files_before
from maxcode.tasks.kernel import KernelTask
from maxcode.tree import ROOT, Step

BYTES = 3  # to a token: code has 2.5 to 4, by tokenizer and language

_FEEDBACK, _SHORT = 6000, 800  # characters
_GROWTH, _FIRST = 2, 2500  # times the first prompt of a run, whose last part has so many bytes
_ATTEMPT_FEEDBACK = 200  # characters of feedback on an attempt in the history
_ATTEMPT_DIFF = 500  # characters of its diff beyond which it is left out
_MAX_DIFFED = 8000  # lines of a program beyond which no difference is looked for


@dataclass(frozen=True, slots=True)
class Choice:
    """The contents of a prompt: ids of attempts, and further parts.

    ``extras`` are what only may help: earlier advice, critiques of programs that are not improved,
    and failures. The best program and the one to improve are whole, or ``diffs`` against the
    baseline; those of ``omitted`` steps are not shown.
    """

    history: tuple[int, ...] = ()
    exemplars: bool = True
    profile: bool = True
    feedback: int = _FEEDBACK
    extras: bool = True
    diffs: bool = False
    omitted: frozenset[int] = frozenset()


class Draft:
    """A prompt before it is fitted, about ``step``; ``render`` writes a template by its name."""

    def __init__(
        self,
        observation: Observation,
        step: Step,
        goal: Literal["improve", "diagnose"],
        render: Callable[..., str],
    ) -> None:
        task, best = observation.task, observation.best
        self._observation, self._step, self._goal, self._render = observation, step, goal, render
        self._system = render("generator" if goal == "improve" else "critic")
        self._task = render("task")
        self._steps = history(observation)
        self._attempts = {one.id: one for one in self._steps if one.id != ROOT}
        programs = [task.baseline, step.program, *([best.program] if best else [])]
        self._exemplars = [
            one
            for one in observation.exemplars
            if goal == "improve" and one.program not in programs
        ]
        trajectory = observation.trajectory
        self._path = [one.id for one in trajectory.steps] if trajectory else []

    def fitted(self, context: int) -> Prompt:
        """The prompt with as many parts as fit into ``context`` tokens.

        The best and the program to improve come before all else: as diffs if they do not fit in
        whole, else in words. Attempts are dropped first, then exemplars and the profile; feedback
        and critiques are shortened last. Beyond twice the size of a run's first prompt, what only
        may help is left out. Raises :class:`~maxcode.errors.ContextError` if the indispensable
        parts are too large.
        """
        least = self._smallest(context)
        choice = Choice(tuple(self._attempts), diffs=least.diffs, omitted=least.omitted)
        prompt = self._prompt(choice)
        waiting = expendable(self._attempts.values(), self._path)
        while tokens(prompt) > context and waiting:
            excess, gone = BYTES * (tokens(prompt) - context), set[int]()
            while waiting and excess > 0:
                excess -= len(self._attempt(waiting[0], choice.history).encode())
                gone.add(waiting.pop(0))
            choice = replace(choice, history=tuple(i for i in choice.history if i not in gone))
            prompt = self._prompt(choice)
        for smaller in ({"exemplars": False}, {"profile": False}, {"feedback": _SHORT}):
            if tokens(prompt) > context:
                choice = replace(choice, **smaller)
                prompt = self._prompt(choice)
        usual = _GROWTH * (len(f"{self._system}{self._task}".encode()) + _FIRST)
        return prompt if prompt.size <= usual else self._prompt(replace(choice, extras=False))

    def _smallest(self, context: int) -> Choice:
        """The indispensable parts, in the first form that fits: from the most to the least."""
        best = self._observation.best
        ours = frozenset({self._step.id} - {ROOT})
        theirs = frozenset({best.id} - {ROOT} if best else ())
        if best and best.program == self._step.program:
            ours = theirs = ours | theirs
        for omitted in dict.fromkeys((frozenset[int](), ours, theirs, ours | theirs)):
            for diffs in (False, True):
                choice = Choice((), False, False, _SHORT, diffs=diffs, omitted=omitted)
                prompt = self._prompt(choice)
                if tokens(prompt) <= context:
                    return choice
        task = -(-len(self._task.encode()) // BYTES)
        raise ContextError(
            f"a prompt needs about {tokens(prompt):,} tokens without any history ({task:,} for the "
            f"task with its baseline), and may have {context:,}; raise context"
        )

    def _prompt(self, choice: Choice) -> Prompt:
        """The prompt with the chosen parts."""
        best, exemplars = self._observation.best, {one.id for one in self._exemplars}
        kept = {*choice.history, ROOT, self._step.id, *([best.id] if best else [])}
        kept |= exemplars if choice.exemplars else set()
        left_out = sorted(({*self._attempts} | exemplars) - kept)
        attempts = [self._attempt(one, choice.history) for one in choice.history]
        dropped = tuple(sorted({*left_out, *choice.omitted}))
        last = self._last(choice, left_out)
        return Prompt(self._system, (self._task, *attempts, last), dropped)

    def _attempt(self, step_id: int, shown: Collection[int]) -> str:
        """An attempt's change and outcome, given the ids of all that are shown."""
        step = self._attempts[step_id]
        source = step.parent if step.parent is not None and step.parent in shown else ROOT
        if step.duplicate_of not in (None, ROOT, *shown):
            step = replace(step, duplicate_of=None)
        origin = self._attempts.get(source)
        before = origin.program if origin else self._observation.task.baseline
        changed = difference(before, step.program)
        return self._render(
            "attempt",
            step=step,
            origin=source,
            difference=changed if len(changed) <= _ATTEMPT_DIFF else "",
            feedback=_ATTEMPT_FEEDBACK,
            brief=True,
        )

    def _last(self, choice: Choice, left_out: Sequence[int]) -> str:
        """The last part: the programs, and the question."""
        observation, step, goal = self._observation, self._step, self._goal
        task, best = observation.task, observation.best
        beaten = best is not None and best.id != ROOT
        exemplars = self._exemplars if choice.exemplars else []
        profile = step.profile.text if step.profile and choice.profile else ""
        known = choice.history or left_out or exemplars or profile or step.critique
        about, program = held(step, self._steps), step.program
        if step.id in choice.omitted:
            about = step.id
            if goal == "improve":
                shown = best if best and best.id not in choice.omitted else None
                about = shown.id if shown else ROOT
                program = shown.program if shown else task.baseline
        best_diff, origin = self._best_diff(program, choice)
        return self._render(
            goal,
            goal=goal,
            step=step,
            fresh=step.id == ROOT and not beaten and not known,
            about=about,
            program=program,
            program_diff=self._as_diff(program, choice),
            best=best,
            best_diff=best_diff,
            best_origin=about if origin else ROOT,
            beaten=beaten,
            is_best=best is not None and best.program == program,
            untold=choice.omitted,
            exemplars=exemplars,
            path=self._path[: self._path.index(about) + 1] if about in self._path else [],
            history=choice.history,
            left_out=left_out,
            advice=self._advice() if choice.profile and choice.extras else (),
            profile=profile,
            asked=files_before(task, program, observation) if choice.profile else (),
            feedback=choice.feedback,
            extras=choice.extras,
        )

    def _advice(self) -> Sequence[object]:
        """Earlier advice, without that of critiques shown elsewhere."""
        quoted = {self._step.id}
        if self._goal == "improve":
            quoted |= {one.id for one in (self._observation.best, *self._exemplars) if one}
        return advice_taken(self._steps, quoted)

    def _best_diff(self, program: Program, choice: Choice) -> tuple[str, bool]:
        """The diff to show instead of the best program, and whether it starts from ``program``.

        From ``program``, shown whole beside it, where that is shorter.
        """
        best = self._observation.best
        if best is None:
            return "", False
        if not choice.diffs and (near := difference(program, best.program)):
            return near, True
        return self._as_diff(best.program, choice), False

    def _as_diff(self, program: Program, choice: Choice) -> str:
        """The diff to show instead of the program; empty to show the whole."""
        task = self._observation.task
        if not choice.diffs or isinstance(task, KernelTask):  # which shows no baseline
            return ""
        return difference(task.baseline, program)


def tokens(prompt: Prompt) -> int:
    """About how many tokens a prompt has; rather too many than too few."""
    return -(-len(prompt.text.encode()) // BYTES)


def history(observation: Observation) -> list[Step]:
    """The path and the attempts beside it, each once, by their ids; no failure of the harness."""
    path = observation.trajectory.steps if observation.trajectory else ()
    steps = {step.id: step for step in (*path, *observation.attempts)}
    usable = (one for one in steps.values() if one.evaluation.status is not Status.INFRASTRUCTURE)
    return sorted(usable, key=lambda one: one.id)


def held(step: Step, steps: Iterable[Step]) -> int:
    """The id of the step with a step's program: its own unless its answer held none."""
    known = {one.id: one for one in steps}
    while step.evaluation.status is Status.INVALID and step.parent in known:
        step = known[step.parent]
    invalid = step.evaluation.status is Status.INVALID
    return (step.parent or ROOT) if invalid else step.id


@lru_cache(512)  # an attempt is shown in many prompts
def difference(before: Program, after: Program) -> str:
    """The diff between two programs; empty where the changed files are shorter."""
    changed = [after.files.get(path, "") for path in before.changed(after)]
    if sum(text.count("\n") for text in changed) > _MAX_DIFFED:
        return ""
    found = before.diff(after)
    return found if len(found) < sum(map(len, changed)) else ""


def expendable(steps: Iterable[Step], path: Collection[int]) -> list[int]:
    """Ids of the steps, the least needed first.

    Duplicates and answers without a program, then failures, then correct programs, the slow ones
    first; of equals the oldest. Steps of the ``path`` come last.
    """

    def worth(step: Step) -> tuple[bool, int, float, int]:
        useless = step.duplicate_of is not None or step.evaluation.status is Status.INVALID
        rank = 0 if useless else 2 if step.evaluation.ok else 1
        return (step.id in path, rank, step.reward, step.id)

    return [step.id for step in sorted(steps, key=worth)]
