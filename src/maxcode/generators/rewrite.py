"""RewriteGenerator: proposes programs by applying known rewrites; needs no model and no key."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from heapq import nsmallest
from itertools import chain, zip_longest
from random import Random
from statistics import median

from maxcode.errors import GeneratorError
from maxcode.evaluation import Status
from maxcode.generators.rewrites import SOURCES, Rewrite, catalogue
from maxcode.interfaces import Generator, Proposal
from maxcode.observation import Observation
from maxcode.program import Program
from maxcode.prompts.project import hot_files
from maxcode.tasks.languages import LANGUAGES

_FRUITLESS = 120  # plans in a row that gave no new program: there are hardly any left
_SIZES = (1, 2, 3, 4, 6, 8)  # of sets drawn at random
_PROMISING = 5.0  # a weight from which on people expect much
_NAMED = 3  # rewrites that a summary names
_NOISE = 0.03  # a smaller change of speed may be luck
_MAX_GAIN = 4.0  # larger gains count as this one, or nothing else would be drawn

Tags = Sequence[str]


class RewriteGenerator(Generator):
    """Applies rewrites of a catalogue to the best program shown.

    The tags of a proposal are all rewrites on the way to it from the original: it tries all at
    once, the most promising, single ones, and the best set without each member, and then draws sets
    by weight. A rewrite that failed on its own is not tried again, and gains are preferred. No
    known program is proposed, and all randomness comes from the observation's seed.

    Rewrites preserve the meaning; with ``guesses`` also those are applied that may change it in
    rare cases, and the summary names them. Of a profiled project only hot files are rewritten.
    """

    trusted = True

    def __init__(self, rewrites: Sequence[Rewrite] | None = None, *, guesses: bool = False) -> None:
        self.rewrites = None if rewrites is None else tuple(rewrites)
        self.guesses = guesses

    def propose(self, observation: Observation, n: int) -> list[Proposal]:
        """Up to ``n`` new programs; fewer when there are hardly any more.

        Raises :class:`~maxcode.errors.GeneratorError` for a task in another language than C++, C
        and Python, and for a kernel or project in Python: other code may use its names.
        """
        task = observation.task
        kinds = {"": "program", "program": "program", "kernel": "kernel"}
        kind = kinds.get(task.executor, "project")
        if task.language not in SOURCES or (task.language == "python" and kind != "program"):
            raise GeneratorError(
                "there are rewrites for programs in C++, C and Python, and for projects in C++ and "
                f"C, but task {task.name!r} is a {kind} in "
                f"{task.language or 'a language it does not name'}; choose a model (--generator)"
            )
        files = hot_files(observation) or task.editable or tuple(task.baseline.files)
        rewrites = self.rewrites
        if rewrites is None:
            rewrites = catalogue(task.language, guesses=self.guesses)
        workshop = Workshop(rewrites, files, task.language)
        base = _base(observation, workshop)
        known = {task.baseline, observation.step.program}
        proposals: list[Proposal] = []
        fruitless = 0
        for plan in _plans(observation, workshop, base):
            if len(proposals) == n or fruitless == _FRUITLESS:
                break
            program, applied = workshop.apply(base.origin, plan)
            if program in known or program in observation.seen:
                fruitless += 1
                continue
            known.add(program)
            tags = (*base.before, *applied)
            summary = f"{_summary(applied, base.done)}; {workshop.meaning(tags)}"
            proposals.append(Proposal(program, summary, tags))
            fruitless = 0
        return proposals


@dataclass(frozen=True)
class _Base:
    """The program to build on: ``origin`` after the rewrites ``done``; ``before`` led to the
    origin."""

    origin: Program
    done: tuple[str, ...] = ()
    before: tuple[str, ...] = ()


def _base(observation: Observation, workshop: Workshop) -> _Base:
    """The best program shown, as rewrites of the baseline if it is such a program."""
    step = observation.step
    if observation.best is not None and observation.best.reward > step.reward:
        step = observation.best
    tags = step.tags if workshop.knows(step.tags) else ()
    program, applied = workshop.apply(observation.task.baseline, tags)
    if program == step.program:
        return _Base(observation.task.baseline, applied)
    return _Base(step.program, before=tags)  # not by rewrites alone


def _plans(observation: Observation, workshop: Workshop, base: _Base) -> Iterator[Tags]:
    """Sets of tags to apply to the base's origin, without end unless no rewrite applies."""
    gains = _gains(observation, workshop.knows)
    program, _ = workshop.apply(base.origin, base.done)
    expected = {
        tag: weight * min(gains.get(tag, 1.0), _MAX_GAIN) ** 2
        for tag, weight in workshop.applicable(program).items()
        if gains.get(tag, 1.0) > 0
    }
    kept = base.done
    if observation.trajectory is not None:
        yield from _informed(kept, expected, gains)
    elif not expected:  # all are applied, and nothing says which to leave out
        kept, expected = (), dict.fromkeys(kept, 1.0)
    rng = Random(observation.seed)
    while expected:
        yield *kept, *_draw(expected, rng)


def _informed(done: Tags, expected: dict[str, float], gains: Mapping[str, float]) -> Iterator[Tags]:
    """Sets suggested by the gains: large sets, then smaller ones, then single changes."""

    def sound(tags: Iterable[str]) -> list[str]:
        return [tag for tag in tags if gains.get(tag, 1.0) > 1 - _NOISE]

    yield *done, *sound(expected)
    yield *sound(done), *(tag for tag in expected if gains.get(tag, 1.0) > 1 + _NOISE)
    yield *done, *(tag for tag in sound(expected) if expected[tag] >= _PROMISING)
    singles = sorted(expected, key=lambda tag: -expected[tag])
    doubtful = sorted(done, key=lambda tag: gains.get(tag, 1.0))
    added = ([*done, tag] for tag in singles)
    left_out = ([tag for tag in done if tag != doubt] for doubt in doubtful)
    in_turn = chain.from_iterable(zip_longest(added, left_out, fillvalue=()))
    yield from filter(None, in_turn)


def _gains(observation: Observation, knows: Callable[[Iterable[str]], bool]) -> dict[str, float]:
    """The factor of the speed by each tag, as the median over steps that differ in it alone.

    0 for a tag that failed.
    """
    found: defaultdict[str, list[float]] = defaultdict(list)
    steps = {step.id: step for step in observation.shown}
    for step in steps.values():
        parent = steps.get(step.parent) if step.parent is not None else None
        broken = step.evaluation.status is Status.INFRASTRUCTURE
        if parent is None or parent.reward <= 0 or broken or not (step.tags and knows(step.tags)):
            continue
        before = parent.tags if knows(parent.tags) else ()
        added, removed = _apart(step.tags, before), _apart(before, step.tags)
        if len(added) + len(removed) == 1 and (added or step.reward > 0):
            gain = step.reward / parent.reward
            found[(added or removed)[0]].append(gain if added else 1 / gain)
    return {tag: median(each) if all(each) else 0.0 for tag, each in found.items()}


def _draw(weights: dict[str, float], rng: Random) -> Tags:
    """Some tags drawn by weight, without replacement, in the order in which they were given.

    The first of exponential clocks is i with a chance proportional to weight i.
    """
    clocks = {tag: rng.expovariate(weight) for tag, weight in weights.items()}
    drawn = set(nsmallest(rng.choice(_SIZES), clocks, key=clocks.__getitem__))
    return [tag for tag in weights if tag in drawn]


def _summary(tags: Tags, done: Tags) -> str:
    """The difference to the program built on, in a short line."""
    new, left_out = _apart(tags, done), _apart(done, tags)
    kept = len(tags) - len(new)
    parts = [f"{kept} as before"] if kept else []
    parts += new[:_NAMED]
    if len(new) > _NAMED:
        parts.append(f"{len(new) - _NAMED} more")
    without = f" without {', '.join(left_out)}" if left_out else ""
    return " + ".join(parts) + without


def _apart(tags: Tags, others: Tags) -> list[str]:
    return [tag for tag in tags if tag not in others]


class Workshop:
    """Applies rewrites and remembers the results, so no text is worked on twice.

    A tag is a rewrite's name.
    """

    def __init__(
        self, rewrites: Sequence[Rewrite], editable: Iterable[str], language: str = "c++"
    ) -> None:
        self._rewrites = {one.name: one for one in rewrites if language in one.languages}
        self._suffixes = LANGUAGES[language].suffixes
        self._files = [path for path in editable if path.endswith(self._suffixes)]
        self._read = cache(SOURCES[language])
        self._rewritten = cache(self._rewrite)

    def knows(self, tags: Iterable[str]) -> bool:
        """Whether all of the tags are ours."""
        return all(tag in self._rewrites for tag in tags)

    def meaning(self, tags: Iterable[str]) -> str:
        """In words, whether a program with these tags means the same as the first."""
        guesses = ", ".join(tag for tag in dict.fromkeys(tags) if self._rewrites[tag].guess)
        return f"changes meaning in rare cases: {guesses}" if guesses else "preserves meaning"

    def applicable(self, program: Program) -> dict[str, float]:
        """Every tag that changes the program, with its weight; in a fixed order."""
        return {
            name: rewrite.weight
            for name, rewrite in self._rewrites.items()
            if self.apply(program, [name])[1]
        }

    def apply(self, program: Program, tags: Iterable[str]) -> tuple[Program, tuple[str, ...]]:
        """The program after these rewrites of all files, in turn, and the applied ones."""
        whole = sum(path.endswith(self._suffixes) for path in program.files) == 1
        applied: list[str] = []
        for tag in tags:
            texts = {
                path: text
                for path in self._files
                if path in program.files  # a candidate of another generator may lack it
                and (text := self._rewritten(tag, program.files[path], whole)) is not None
            }
            before, program = program, program.with_files(texts)
            if program != before:
                applied.append(tag)
        return program, tuple(applied)

    def _rewrite(self, name: str, text: str, whole: bool) -> str | None:
        return self._rewrites[name].apply(self._read(text, whole=whole))
