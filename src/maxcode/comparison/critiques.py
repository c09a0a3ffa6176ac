"""Worth of critics, from journals alone: was advice followed, and did the step gain?"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import chain
from math import comb, log

import numpy as np

from maxcode.budget import Cost
from maxcode.comparison.method import RECIPE
from maxcode.evaluation import Critique
from maxcode.journal.journal import RunLog
from maxcode.journal.state import RunState
from maxcode.measure.statistics import Bootstrap, Estimate
from maxcode.program import Program
from maxcode.text import percent
from maxcode.tree import Step

NO_CRITIC = "none"
"""Name in place of a critic for runs without any."""

COLUMNS = (
    *("critic", "steps", "followed", "by chance", "gained", "if followed", "if not", "ratio"),
    "tokens a gain",
)
"""Names of the cells of a critic's row."""

_LINE = re.compile(r"\b[Ll]ine (\d+)\b|\.(?:cpp|cc|cxx|cu|h|hpp|py):(\d+)")
_PHRASE = re.compile(r"`([^`\n]{4,})`|\b(site \d+)\b")


@dataclass(frozen=True)
class Advised:
    """A step, and the critique of its parent.

    * ``followed``: whether it changed a line named by the critique; None if none is named
    * ``by_chance``: the chance of as many lines, drawn at random, to hold a named line
    * ``gained``: whether it is correct and its interval lies above its parent's speedup
    * ``ratio``: its speedup over its parent's; None where either failed
    """

    run_id: str
    critic: str
    followed: bool | None
    by_chance: float | None
    gained: bool
    ratio: float | None


@dataclass(frozen=True)
class CriticFigures:
    """A critic over runs, each of which counts alike; None: no data.

    * ``runs``, ``critiques``, ``steps``: how many; ``naming`` of the steps had advice that names
      lines
    * ``followed``: share of these that changed a named line; ``by_chance``: share expected of
      random changes
    * ``gained``: share of steps that gained, of all, and of those that followed and that did not
    * ``ratio``: geometric mean of speedups over the parent's, of steps that passed
    * ``tokens_a_gain``, ``dollars_a_gain``: cost of its critiques for each step that gained
    """

    critic: str
    runs: int
    critiques: int
    steps: int
    naming: int
    followed: Estimate | None
    by_chance: Estimate | None
    gained: Estimate | None
    gained_followed: Estimate | None
    gained_otherwise: Estimate | None
    ratio: Estimate | None
    tokens_a_gain: float | None
    dollars_a_gain: float | None

    def cells(self) -> tuple[str, ...]:
        """Its row of a table with the columns :data:`COLUMNS`."""
        return (
            self.critic,
            str(self.steps),
            _share(self.followed),
            "-" if self.by_chance is None else percent(self.by_chance.value),
            *map(_share, (self.gained, self.gained_followed, self.gained_otherwise)),
            "-" if self.ratio is None else f"{self.ratio.value:.2f}x",
            "-" if self.tokens_a_gain is None else f"{self.tokens_a_gain:,.0f}",
        )


def _share(estimate: Estimate | None) -> str:
    if estimate is None:
        return "-"
    value, low, high = (f"{100 * x:.0f}" for x in (estimate.value, estimate.low, estimate.high))
    return f"{value} % [{low}, {high}]"


@dataclass(frozen=True)
class CritiquedRun:
    """A critic's record in a run's journal."""

    run_id: str
    critic: str
    critiques: int
    cost: Cost
    steps: tuple[Advised, ...]


def read_critiques(log: RunLog) -> CritiquedRun:
    """:func:`critiqued` of a run in a journal."""
    return critiqued(RunState.load(log))


def critiqued(state: RunState) -> CritiquedRun:
    """Fate of each critique of a run so far, and of steps without any.

    Raises :class:`~maxcode.errors.JournalError` before its baseline is known.
    """
    run_id = state.log.run_id
    critic, tree = _critic_of(state), state.tree
    made = {step.id: step.critique for step in tree if step.critique and step.duplicate_of is None}
    steps = []
    for step in tree:
        if step.parent is None or step.duplicate_of is not None or step.reduced_from is not None:
            continue
        parent = tree[step.parent]
        first = parent if parent.duplicate_of is None else tree[parent.duplicate_of]
        steps.append(_advised(run_id, critic, step, parent, made.get(first.id)))
    cost = sum((critique.cost for critique in made.values()), Cost())
    return CritiquedRun(run_id, critic, len(made), cost, tuple(steps))


def critic_figures(runs: Iterable[CritiquedRun]) -> list[CriticFigures]:
    """Figures of each critic, in the order in which runs have them."""
    by_critic: defaultdict[str, list[CritiquedRun]] = defaultdict(list)
    for run in runs:
        by_critic[run.critic].append(run)
    return [_figures(critic, found) for critic, found in by_critic.items()]


def critic_table(runs: Iterable[CritiquedRun]) -> list[tuple[str, ...]]:
    """Rows of a table of critics, see :data:`COLUMNS`; none where no run had a critic."""
    found = list(runs)
    if all(run.critic == NO_CRITIC for run in found):
        return []
    return [one.cells() for one in critic_figures(found)]


def _critic_of(state: RunState) -> str:
    """Name of a run's critic: as it was named, described, or by its class."""
    started = state.started
    if started is None or "critic" not in started.plugins or not started.observe.critique:
        return NO_CRITIC
    recipe = started.options.recipe
    compared = recipe.get(RECIPE)
    if isinstance(compared, dict) and compared.get("critic"):
        return str(compared["critic"])
    return str(recipe.get("critic") or started.plugins["critic"])


def _advised(
    run_id: str, critic: str, step: Step, parent: Step, critique: Critique | None
) -> Advised:
    named = _named(critique, parent.program) if critique else frozenset()
    changed = _changed(parent.program, step.program) if named else frozenset()
    both = step.evaluation.ok and parent.evaluation.ok
    speedup = step.evaluation.speedup
    return Advised(
        run_id=run_id,
        critic=critic,
        followed=bool(named & changed) if named else None,
        by_chance=_by_chance(len(named), len(changed), _lines(parent.program)) if named else None,
        gained=speedup is not None and speedup.low > parent.reward,
        ratio=step.reward / parent.reward if both else None,
    )


_Place = tuple[str, int]
"""A file, and a line of it, from 1 on."""


def _named(critique: Critique, program: Program) -> frozenset[_Place]:
    """Lines of a program named by a critique: by number, by their code, or as a site."""
    text = "\n".join([critique.text, critique.evidence, *critique.suggestions])
    numbers = {int(one or other) for one, other in _LINE.findall(text)}
    phrases = {(code or site).removesuffix("...").strip() for code, site in _PHRASE.findall(text)}
    found = set()
    for path, content in program.files.items():
        for number, line in enumerate(content.splitlines(), 1):
            if number in numbers or any(_holds(line, phrase) for phrase in phrases):
                found.add((path, number))
    return frozenset(found)


def _holds(line: str, phrase: str) -> bool:
    at = line.find(phrase)
    return at >= 0 and not (phrase[-1].isalnum() and line[at + len(phrase) :][:1].isalnum())


@lru_cache(maxsize=8192)  # a live view asks again whenever a run goes on
def _changed(before: Program, after: Program) -> frozenset[_Place]:
    """Lines of the first program changed by the second; for insertions both neighbours."""
    found: set[_Place] = set()
    for path, content in before.files.items():
        lines, others = content.splitlines(), after.files.get(path, "").splitlines()
        matcher = SequenceMatcher(None, lines, others, autojunk=False)
        for kind, first, last, *_ in matcher.get_opcodes():
            if kind == "insert":
                found |= {(path, n) for n in (first, first + 1) if 1 <= n <= len(lines)}
            elif kind != "equal":
                found |= {(path, n) for n in range(first + 1, last + 1)}
    return frozenset(found)


def _lines(program: Program) -> int:
    return sum(len(content.splitlines()) for content in program.files.values())


def _by_chance(named: int, changed: int, lines: int) -> float:
    """Chance of so many lines drawn at random to hold a named line (hypergeometric)."""
    drawn = min(changed, lines)
    return 1.0 - comb(lines - named, drawn) / comb(lines, drawn) if drawn else 0.0


def _figures(critic: str, runs: Sequence[CritiquedRun]) -> CriticFigures:
    steps = list(chain.from_iterable(run.steps for run in runs))
    naming = [step for step in steps if step.followed is not None]
    followed = [step for step in naming if step.followed]
    otherwise = [step for step in naming if not step.followed]
    cost = sum((run.cost for run in runs), Cost())
    gains = sum(step.gained for step in steps)
    return CriticFigures(
        critic=critic,
        runs=len(runs),
        critiques=sum(run.critiques for run in runs),
        steps=len(steps),
        naming=len(naming),
        followed=_mean(naming, lambda one: one.followed),
        by_chance=_mean(naming, lambda one: one.by_chance),
        gained=_mean(steps, lambda one: one.gained),
        gained_followed=_mean(followed, lambda one: one.gained),
        gained_otherwise=_mean(otherwise, lambda one: one.gained),
        ratio=_exp(_mean(steps, lambda one: None if one.ratio is None else log(one.ratio))),
        tokens_a_gain=cost.tokens / gains if gains else None,
        dollars_a_gain=cost.dollars / gains if gains else None,
    )


def _mean(steps: Iterable[Advised], read: Callable[[Advised], float | None]) -> Estimate | None:
    """Mean over runs of each run's mean, of the steps with a known value."""
    known = [(step.run_id, float(value)) for step in steps if (value := read(step)) is not None]
    if not known:
        return None
    runs, values = zip(*known, strict=True)
    return Bootstrap(runs).mean(np.array(values))


def _exp(estimate: Estimate | None) -> Estimate | None:
    if estimate is None:
        return None
    return Estimate(*(float(np.exp(x)) for x in (estimate.value, estimate.low, estimate.high)))
