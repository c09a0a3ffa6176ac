"""Building datasets from the journals of runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from math import fsum
from pathlib import Path

from maxcode.errors import InputError
from maxcode.files import new_folder
from maxcode.journal.events import RunStarted
from maxcode.journal.journal import RunLog
from maxcode.models.base import estimate
from maxcode.options import derive
from maxcode.reward_to_go.dataset import CARD, PARTS, README, Card, Lengths, Part, TaskCard, readme
from maxcode.reward_to_go.decisions import decisions
from maxcode.reward_to_go.objective import Bins, Objective
from maxcode.reward_to_go.rows import Row, read_rows, rows, write_rows


@dataclass(frozen=True)
class Split:
    """The held-out tasks: those named in ``hold``, else a ``share`` at random.

    Whole tasks are held out, by their digest. Each task's draw depends on its digest and ``seed``
    alone, so further tasks move none to the other side; only where a side would be empty does the
    nearest task take it. Raises :class:`InputError` for a share outside (0, 1).
    """

    share: float = 0.2
    hold: tuple[str, ...] = ()
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.share < 1:
            raise InputError(f"the share that is held out lies between 0 and 1, not {self.share}")

    def held_out(self, tasks: Mapping[str, str]) -> frozenset[str]:
        """The digests of the held-out tasks, given the names of all by digest.

        Raises :class:`InputError` where there is nothing to hold out, or nothing would be left.
        """
        if len(tasks) < 2:
            only = f"only one task, {', '.join(tasks.values())}" if tasks else "no task"
            raise InputError(
                f"training and held-out tasks have to differ, and these runs have {only} with "
                "candidates that were judged; give runs of more tasks"
            )
        if self.hold:
            return self._named(tasks)
        draws = {digest: derive(self.seed, digest, 0) / 2**64 for digest in tasks}
        below = sum(draw < self.share for draw in draws.values())
        count = min(max(below, 1), len(tasks) - 1)
        return frozenset(sorted(draws, key=draws.__getitem__)[:count])

    def _named(self, tasks: Mapping[str, str]) -> frozenset[str]:
        names = sorted(set(tasks.values()))
        for name in self.hold:
            if name not in names:
                raise InputError(f"no task {name!r} to hold out; there are: {', '.join(names)}")
        held = frozenset(digest for digest, name in tasks.items() if name in self.hold)
        if len(held) == len(tasks):
            raise InputError("every task would be held out, and none left to train on")
        return held


@dataclass(frozen=True)
class Recipe:
    """The settings of a dataset, apart from its runs."""

    objective: Objective = field(default_factory=Objective)
    split: Split = field(default_factory=Split)


def check_place(out: Path, *, force: bool) -> None:
    """Whether a dataset may be made there. Raises :class:`InputError` if not.

    An earlier dataset is replaced with ``force``, anything else never.
    """
    if not out.exists():
        return
    if not out.is_dir():
        raise InputError(f"{out} is a file; name a folder")
    there = {path.name for path in out.iterdir()}
    ours = {CARD, README, *(f"{part}.jsonl" for part in PARTS)}
    if there and (CARD not in there or there - ours):
        foreign = min(there - ours, default=min(there))
        raise InputError(f"{out} holds {foreign}, which is of no dataset; name another folder")
    if there and not force:
        raise InputError(f"{out} holds a dataset already; replace it with --force")


def build(
    out: Path,
    stores: Iterable[str],
    logs: Iterable[RunLog],
    recipe: Recipe | None = None,
    *,
    force: bool = False,
) -> Card:
    """Make a dataset of runs as the folder ``out``; gives its card.

    Runs are read one at a time, as far as they got. The folder is there when all is done, or not at
    all. Raises :class:`InputError` when it may not be made there or the tasks cannot be split.
    """
    recipe = recipe or Recipe()
    check_place(out, force=force)
    try:
        with new_folder(out, partial(check_place, out, force=force)) as folder:
            card = _fill(folder, tuple(stores), logs, recipe)
    except OSError as error:
        raise InputError(f"cannot write {out}: {error.strerror}") from error
    return card


def _fill(folder: Path, stores: tuple[str, ...], logs: Iterable[RunLog], recipe: Recipe) -> Card:
    """Write all rows to a file first: the tasks with rows are known at the end."""
    spool, tally = folder / "all.jsonl", _Tally(recipe)
    write_rows(spool, tally.rows(logs))
    held = recipe.split.held_out({digest: task.name for digest, task in tally.tasks.items()})
    for part in PARTS:
        own = (row for row in read_rows(spool) if (row.task_digest in held) == (part != "train"))
        write_rows(folder / f"{part}.jsonl", tally.weighed(own))
    spool.unlink()
    card = tally.card(stores, held)
    (folder / CARD).write_text(card.model_dump_json(indent=2) + "\n", encoding="utf-8")
    (folder / README).write_text(readme(card), encoding="utf-8")
    return card


@dataclass
class _TaskTally:
    """Counts of a task."""

    name: str
    weights: list[float]  # by bin
    sums: list[float]  # of targets, weighted, by bin
    runs: int = 0
    rows: int = 0
    prompts: list[int] = field(default_factory=list)
    candidates: list[int] = field(default_factory=list)


class _Tally:
    """Counts while rows are made."""

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        self.tasks: dict[str, _TaskTally] = {}
        self.empty_runs = 0
        self.policies: Counter[str] = Counter()
        self.generators: Counter[str] = Counter()

    def rows(self, logs: Iterable[RunLog]) -> Iterator[Row]:
        """The rows of all runs, which are counted as they pass."""
        for log in logs:
            first = next(log.events(), None)
            if first is None or not isinstance(first.event, RunStarted):
                self.empty_runs += 1
                continue
            before = sum(len(task.candidates) for task in self.tasks.values())
            yield from self._rows_of(log)
            if before == sum(len(task.candidates) for task in self.tasks.values()):
                self.empty_runs += 1
                continue
            self.tasks[first.event.task_digest].runs += 1
            self.policies[first.event.plugins.get("policy", "unknown")] += 1
            self.generators[first.event.plugins.get("generator", "unknown")] += 1

    def _rows_of(self, log: RunLog) -> Iterator[Row]:
        objective = self.recipe.objective
        for decision in decisions(log):
            zeros = [0.0] * len(objective.bins)
            empty = _TaskTally(decision.observation.task.name, zeros, list(zeros))
            task = self.tasks.setdefault(decision.task, empty)
            prompt, step = 0, -1
            for row in rows(decision, objective):
                if row.step != step:
                    prompt, step = prompt or _tokens(row.prompt), row.step
                    task.prompts.append(prompt)
                    task.candidates.append(_tokens(row.candidate))
                yield row

    def weighed(self, rows: Iterable[Row]) -> Iterator[Row]:
        """The rows as written, with their targets counted on the way."""
        for row in rows:
            task = self.tasks[row.task_digest]
            task.rows += 1
            task.weights[row.bin] += row.weight
            task.sums[row.bin] += row.weight * row.target
            yield row

    def card(self, stores: tuple[str, ...], held: frozenset[str]) -> Card:
        """The card, once all rows were made; ``held`` are the digests of held-out tasks."""
        objective = self.recipe.objective
        train = [task for digest, task in self.tasks.items() if digest not in held]
        held_out = [task for digest, task in self.tasks.items() if digest in held]
        return Card(
            made=datetime.now(UTC).date().isoformat(),
            version=version("maxcode"),
            stores=stores,
            runs=sum(task.runs for task in self.tasks.values()),
            empty_runs=self.empty_runs,
            policies=dict(self.policies.most_common()),
            generators=dict(self.generators.most_common()),
            returns=objective.returns,
            gamma=objective.gamma,
            bins=_with_means(objective.bins, train),
            seed=self.recipe.split.seed,
            tasks=tuple(
                TaskCard(
                    name=task.name,
                    digest=digest,
                    part="held_out" if digest in held else "train",
                    runs=task.runs,
                    candidates=len(task.candidates),
                    rows=task.rows,
                )
                for digest, task in self.tasks.items()
            ),
            train=_part(train),
            held_out=_part(held_out),
        )


def _with_means(bins: Bins, tasks: list[_TaskTally]) -> Bins:
    """The bins with the mean target in each; the middle where there is none."""
    weights, sums = _summed([task.weights for task in tasks]), _summed([t.sums for t in tasks])
    means = (
        total / weight if weight else middle
        for total, weight, middle in zip(sums, weights, bins.centres, strict=True)
    )
    return replace(bins, means=tuple(means))


def _part(tasks: list[_TaskTally]) -> Part:
    weights = _summed([task.weights for task in tasks])
    return Part(
        tasks=len(tasks),
        runs=sum(task.runs for task in tasks),
        candidates=sum(len(task.candidates) for task in tasks),
        rows=sum(task.rows for task in tasks),
        balance=tuple(weight / (fsum(weights) or 1) for weight in weights),
        prompt=_lengths([length for task in tasks for length in task.prompts]),
        candidate=_lengths([length for task in tasks for length in task.candidates]),
    )


def _summed(lists: list[list[float]]) -> list[float]:
    return [fsum(values) for values in zip(*lists, strict=True)]


def _tokens(text: str) -> int:
    return estimate(len(text.encode()))


def _lengths(found: list[int]) -> Lengths:
    found = sorted(found) or [0]
    last = len(found) - 1
    return Lengths(median=found[last // 2], nine_tenths=found[last * 9 // 10], longest=found[-1])
