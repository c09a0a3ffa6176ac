"""Lessons of a run's journal: which changes gained on the step that they were made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from difflib import SequenceMatcher

from maxcode.critics.profile import bottleneck_of
from maxcode.evaluation import Status
from maxcode.journal.journal import RunLog
from maxcode.journal.state import RunState
from maxcode.program import Program
from maxcode.prompts.lessons import LessonBook, Tried, names
from maxcode.tree import ROOT, Step

_NO_CHANGE = (Status.INVALID, Status.INFRASTRUCTURE)  # nothing was tried
_MAX_DIFFED = 8000  # lines of a program beyond which it is not looked at what was replaced


def learn(book: LessonBook, log: RunLog) -> LessonBook:
    """The book with what a run found out, in place of what it had from that run before.

    A step gained if it passed and its interval lies above the speedup of its parent: scores are
    compared, unconfirmed. A step is called what its generator called it, and one that applies a
    single rewrite more than its parent what that rewrite does; of several nobody knows which it
    was. They say nothing, and nor do duplicates, and what a search reduced its best program to.
    Raises :class:`~maxcode.errors.JournalError` before the baseline is known.
    """
    state = RunState.load(log)
    tree, started = state.tree, state.started
    task, language = (started.task, started.language) if started else ("", "")
    rewrites = _rewrites(language)
    tried = []
    for step in tree:
        parent = tree[step.parent or ROOT]
        if step.id == ROOT or step.duplicate_of is not None or step.reduced_from is not None:
            continue
        text = _text(step, parent, rewrites)
        if text and step.evaluation.status not in _NO_CHANGE:
            tried.append(_tried(text, step, parent))
    return book.with_run(log.run_id, task, language, tree.root.program.digest, tried)


def _rewrites(language: str) -> Mapping[str, str]:
    """Description of each rewrite, by its tag."""
    if language != "c++":
        return {}
    from maxcode.generators.rewrites import catalogue  # noqa: PLC0415 - it reads C++

    return {one.name: one.summary for one in catalogue(guesses=True)}


def _text(step: Step, parent: Step, rewrites: Mapping[str, str]) -> str:
    """Changes of a step, in words; empty where they are not known."""
    before, after = (
        Counter(name for tag in one.tags if (name := tag.partition("#")[0]) in rewrites)
        for one in (parent, step)
    )
    if not after:
        return step.summary.strip()
    added = list((after - before).elements())
    return rewrites[added[0]] if len(added) == 1 and not before - after else ""


def _tried(text: str, step: Step, parent: Step) -> Tried:
    speedup, both = step.evaluation.speedup, step.evaluation.ok and parent.reward > 0
    named = parent.critique.bottleneck if parent.critique else ""
    return Tried(
        text=text,
        gained=both and speedup is not None and speedup.low > parent.reward,
        failed=not step.evaluation.ok,
        ratio=step.reward / parent.reward if both else 1.0,
        replaced=_replaced(parent.program, step.program),
        bottleneck=named or bottleneck_of(parent),
    )


def _replaced(before: Program, after: Program) -> frozenset[str]:
    """The names that are in lines that a change took out, and in none that it put there."""
    lost: list[str] = []
    put: list[str] = []
    for path in before.changed(after):
        lines, others = (one.files.get(path, "").splitlines() for one in (before, after))
        if len(lines) + len(others) > _MAX_DIFFED:
            return frozenset()
        for kind, a, b, c, d in SequenceMatcher(None, lines, others, autojunk=False).get_opcodes():
            if kind != "equal":
                lost += lines[a:b]
                put += others[c:d]
    return names("\n".join(lost)) - names("\n".join(put))
