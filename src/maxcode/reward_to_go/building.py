"""Building datasets from the journals of runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path

from maxcode.errors import InputError
from maxcode.files import new_folder
from maxcode.journal.events import RunStarted
from maxcode.journal.journal import RunLog
from maxcode.models.base import estimate
from maxcode.options import derive
from maxcode.reward_to_go.dataset import CARD, PARTS, Card, Lengths, Part, PartName, TaskCard
from maxcode.reward_to_go.decisions import decisions
from maxcode.reward_to_go.objective import Bins, Objective
from maxcode.reward_to_go.rows import Row, read_rows, rows, write_rows

_README = "README.md"  # earlier versions wrote the card in words, too


@dataclass(frozen=True)
class Split:
    """The held-out tasks: those named in ``hold``, else a ``share`` at random.

    Each task's draw depends on its digest and ``seed`` alone, so further tasks move none to the
    other side; an empty side takes the nearest. Raises :class:`InputError` for a share outside (0,
    1).
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
    ours = {CARD, _README, *(f"{part}.jsonl" for part in PARTS)}
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
    spool, objective, runs = folder / "all.jsonl", recipe.objective, _Runs()
    write_rows(spool, runs.rows(logs, objective))
    held = recipe.split.held_out(runs.tasks)
    sides = {part: _Side(objective.bins) for part in PARTS}
    for part, side in sides.items():
        own = (row for row in read_rows(spool) if (row.task_digest in held) == (part != "train"))
        write_rows(folder / f"{part}.jsonl", side.counted(own))
    spool.unlink()
    train, held_out = (sides[part].part for part in PARTS)
    card = Card(
        made=datetime.now(UTC).date().isoformat(),
        version=version("maxcode"),
        stores=stores,
        runs=train.runs + held_out.runs,
        empty_runs=runs.empty,
        policies=dict(runs.plugins["policy"].most_common()),
        generators=dict(runs.plugins["generator"].most_common()),
        returns=objective.returns,
        gamma=objective.gamma,
        bins=sides["train"].bins_with_means,
        seed=recipe.split.seed,
        tasks=tuple(task for part, side in sides.items() for task in side.task_cards(part)),
        train=train,
        held_out=held_out,
    )
    (folder / CARD).write_text(card.model_dump_json(indent=2) + "\n", encoding="utf-8")
    return card


class _Runs:
    """Counts of runs while their rows are made; ``tasks`` has the names of all by digest."""

    def __init__(self) -> None:
        self.tasks: dict[str, str] = {}
        self.plugins: dict[str, Counter[str]] = {"policy": Counter(), "generator": Counter()}
        self.empty = 0

    def rows(self, logs: Iterable[RunLog], objective: Objective) -> Iterator[Row]:
        """The rows of all runs."""
        for log in logs:
            row: Row | None = None
            first = next(log.events(), None)
            if first is not None and isinstance(first.event, RunStarted):
                for row in (row for one in decisions(log) for row in rows(one, objective)):
                    self.tasks[row.task_digest] = row.task
                    yield row
                if row is not None:
                    for role, found in self.plugins.items():
                        found[first.event.plugins.get(role, "unknown")] += 1
            self.empty += row is None


class _Side:
    """Counts of the rows of a side, by task and by bin."""

    def __init__(self, bins: Bins) -> None:
        self._bins = bins
        self._weights, self._sums = [0.0] * len(bins), [0.0] * len(bins)  # sums of targets
        self._names: dict[str, str] = {}
        self._runs: dict[str, str] = {}  # the task of each
        self._rows: Counter[str] = Counter()
        self._candidates: Counter[str] = Counter()
        self._prompts: list[int] = []
        self._texts: list[int] = []

    def counted(self, rows: Iterable[Row]) -> Iterator[Row]:
        """The rows as written, counted on the way."""
        candidate = None
        for row in rows:
            task = row.task_digest
            self._names[task], self._runs[row.run] = row.task, task
            self._rows[task] += 1
            self._weights[row.bin] += row.weight
            self._sums[row.bin] += row.weight * row.target
            if (row.run, row.step) != candidate:
                candidate = row.run, row.step
                self._candidates[task] += 1
                self._prompts.append(estimate(len(row.prompt.encode())))
                self._texts.append(estimate(len(row.candidate.encode())))
            yield row

    def task_cards(self, part: PartName) -> Iterator[TaskCard]:
        """The tasks of this side, in the order of their rows."""
        runs = Counter(self._runs.values())
        for digest, name in self._names.items():
            yield TaskCard(
                name=name,
                digest=digest,
                part=part,
                runs=runs[digest],
                candidates=self._candidates[digest],
                rows=self._rows[digest],
            )

    @property
    def bins_with_means(self) -> Bins:
        """The bins with the mean target in each; the middle where there is none."""
        sums = zip(self._sums, self._weights, self._bins.centres, strict=True)
        means = tuple(total / weight if weight else middle for total, weight, middle in sums)
        return replace(self._bins, means=means)

    @property
    def part(self) -> Part:
        """The figures of this side."""
        return Part(
            tasks=len(self._names),
            runs=len(self._runs),
            candidates=self._candidates.total(),
            rows=self._rows.total(),
            balance=tuple(weight / sum(self._weights) for weight in self._weights),
            prompt=_lengths(self._prompts),
            candidate=_lengths(self._texts),
        )


def _lengths(found: list[int]) -> Lengths:
    found, last = sorted(found), len(found) - 1
    return Lengths(median=found[last // 2], nine_tenths=found[last * 9 // 10], longest=found[-1])
