"""RewriteGenerator: proposes C++ programs by applying known rewrites; needs no model and no key."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from itertools import chain, zip_longest
from random import Random

from maxcode.errors import GeneratorError
from maxcode.generators.evidence import Evidence
from maxcode.generators.rewrites import Rewrite, catalogue
from maxcode.generators.workshop import Workshop
from maxcode.interfaces import Generator, Proposal
from maxcode.observation import Observation
from maxcode.program import Program

_FRUITLESS = 120  # plans in a row that gave no new program: there are hardly any left
_SIZES = (1, 2, 3, 4, 6, 8)  # of sets drawn at random
_GROUP = 4  # suspects that are tried together at most
_PROMISING = 5.0  # a weight from which on people expect much
_NAMED = 3  # rewrites that a summary names

Tags = Sequence[str]


class RewriteGenerator(Generator):
    """Applies rewrites of a catalogue to the best program it is shown.

    The tags of a proposal are all rewrites that lead to it from the program it started from, so
    the search is one over sets of rewrites: it tries everything at once, what is most expected,
    single ones, and the best set with one left out, and then draws sets by weight. Weights follow
    what the observation tells: a rewrite that failed on its own is not tried again, those that
    failed together are tried in groups, one that gained is preferred. No program that was seen
    before is proposed, and all that is random comes from the observation's seed.
    """

    trusted = True

    def __init__(self, rewrites: Sequence[Rewrite] | None = None) -> None:
        self.rewrites = tuple(catalogue() if rewrites is None else rewrites)

    def propose(self, observation: Observation, n: int) -> list[Proposal]:
        """Up to ``n`` programs that were not seen before; fewer when there are hardly any more.

        Raises :class:`~maxcode.errors.GeneratorError` for a task that is not C++.
        """
        task = observation.task
        if task.language != "c++":
            raise GeneratorError(
                f"the rewrites are for C++, but task {task.name!r} is in "
                f"{task.language or 'a language it does not name'}; choose another generator"
            )
        workshop = Workshop(self.rewrites, task.editable or tuple(task.baseline.files))
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
            proposals.append(
                Proposal(program, _summary(applied, base.done), (*base.before, *applied))
            )
            fruitless = 0
        return proposals


@dataclass(frozen=True)
class _Base:
    """What is built on: ``origin`` after the rewrites ``done``.

    ``before`` are rewrites that had led to the origin and cannot be undone.
    """

    origin: Program
    done: tuple[str, ...] = ()
    before: tuple[str, ...] = ()


def _base(observation: Observation, workshop: Workshop) -> _Base:
    """The best program that is shown, as rewrites of the baseline where it is one."""
    step = observation.step
    if observation.best is not None and observation.best.reward > step.reward:
        step = observation.best
    tags = step.tags if workshop.knows(step.tags) else ()
    program, applied = workshop.apply(observation.task.baseline, tags)
    if program == step.program:
        return _Base(observation.task.baseline, applied)
    return _Base(step.program, before=tags)  # another generator had a hand in it


def _plans(observation: Observation, workshop: Workshop, base: _Base) -> Iterator[Tags]:
    """Sets of tags to apply to the base's origin, without end unless no rewrite applies."""
    evidence = Evidence(observation, workshop.knows)
    program, _ = workshop.apply(base.origin, base.done)
    expected = {
        tag: weight * evidence.factor(tag)
        for tag, weight in workshop.applicable(program).items()
        if not evidence.failed(tag)
    }
    if observation.trajectory is not None:
        yield from _informed(base.done, expected, evidence)
    rng = Random(observation.seed)
    while expected:
        yield *base.done, *_draw(expected, rng)


def _informed(done: Tags, expected: dict[str, float], evidence: Evidence) -> Iterator[Tags]:
    """What the evidence suggests: large sets, then smaller ones, then one change at a time."""
    sound = [tag for tag in expected if "#" not in tag and evidence.sound(tag)]
    yield *done, *sound
    kept = (tag for tag in done if evidence.sound(tag))
    yield *kept, *(tag for tag in expected if evidence.gains(tag))
    yield *done, *(tag for tag in sound if expected[tag] >= _PROMISING)
    for group in _groups([tag for tag in expected if evidence.suspect(tag)]):
        yield *done, *group
    singles = sorted(expected, key=lambda tag: -expected[tag])
    doubtful = sorted(done, key=evidence.factor)
    added = ([*done, tag] for tag in singles)
    left_out = ([tag for tag in done if tag != doubt] for doubt in doubtful)
    in_turn = chain.from_iterable(zip_longest(added, left_out, fillvalue=()))
    yield from filter(None, in_turn)


def _draw(weights: dict[str, float], rng: Random) -> Tags:
    """Some tags drawn by weight, without replacement, in the order in which they were given.

    The first of exponential clocks is i with a chance proportional to weight i.
    """
    clocks = {tag: rng.expovariate(weight) for tag, weight in weights.items()}
    drawn = set(nsmallest(rng.choice(_SIZES), clocks, key=clocks.__getitem__))
    return [tag for tag in weights if tag in drawn]


def _groups(suspects: Tags) -> Iterator[Tags]:
    """The suspects dealt out into small groups: one that passes clears all of its tags at once."""
    count = min(len(suspects), max(2, -(-len(suspects) // _GROUP)))
    return (suspects[i::count] for i in range(count))


def _summary(tags: Tags, done: Tags) -> str:
    """What differs from the program that was built on, in a short line."""
    new = list((Counter(tags) - Counter(done)).elements())
    left_out = list((Counter(done) - Counter(tags)).elements())
    kept = len(tags) - len(new)
    parts = [f"{kept} as before"] if kept else []
    parts += new[:_NAMED]
    if len(new) > _NAMED:
        parts.append(f"{len(new) - _NAMED} more")
    without = f" without {', '.join(left_out)}" if left_out else ""
    return " + ".join(parts) + without
