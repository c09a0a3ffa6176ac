"""Building datasets from the journals of runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path

import numpy as np

from maxcode.errors import InputError
from maxcode.files import new_folder
from maxcode.journal.journal import RunLog
from maxcode.measure.statistics import Floats
from maxcode.options import derive
from maxcode.reward_to_go.dataset import CARD, PARTS, Card, PartName, TaskCard
from maxcode.reward_to_go.decisions import decisions
from maxcode.reward_to_go.objective import Objective
from maxcode.reward_to_go.rows import Row, read_rows, rows, write_rows
from maxcode.reward_to_go.saved import check_free


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


def build(
    out: Path,
    stores: Iterable[str],
    logs: Iterable[RunLog],
    objective: Objective | None = None,
    split: Split | None = None,
    *,
    force: bool = False,
) -> Card:
    """Make a dataset of runs as the folder ``out``; gives its card.

    Runs are read one at a time, as far as they got. The folder is there when all is done, or not at
    all. Raises :class:`InputError` when it may not be made there or the tasks cannot be split.
    """
    check = partial(check_free, out, CARD, "dataset", force=force)
    check()
    try:
        with new_folder(out, check) as folder:
            card = _fill(folder, tuple(stores), logs, objective or Objective(), split or Split())
    except OSError as error:
        raise InputError(f"cannot write {out}: {error.strerror}") from error
    return card


def _fill(
    folder: Path,
    stores: tuple[str, ...],
    logs: Iterable[RunLog],
    objective: Objective,
    split: Split,
) -> Card:
    """Write all rows to a file first: the tasks with rows are known at the end."""
    spool, bins, counts = folder / "all.jsonl", objective.bins, _Counts()
    write_rows(spool, counts.counted(logs, objective))
    held = split.held_out(counts.names)
    totals: dict[PartName, Floats] = {}
    for part in PARTS:
        own = {task for task in counts.names if (task in held) == (part == "held_out")}
        mine = (row for row in read_rows(spool) if row.task_digest in own)
        write_rows(folder / f"{part}.jsonl", mine)
        totals[part] = np.sum([counts.totals[task] for task in own], axis=0)
    spool.unlink()
    weights, sums = totals["train"]
    means = np.divide(sums, weights, out=np.array(bins.centres), where=weights > 0)
    card = Card(
        made=datetime.now(UTC).date().isoformat(),
        version=version("maxcode"),
        stores=stores,
        empty_runs=counts.empty_runs,
        returns=objective.returns,
        gamma=objective.gamma,
        bins=replace(bins, means=tuple(means.tolist())),
        seed=split.seed,
        tasks=tuple(
            TaskCard(
                name=name,
                digest=task,
                part="held_out" if task in held else "train",
                runs=counts.runs[task],
                rows=counts.rows[task],
            )
            for task, name in counts.names.items()
        ),
        balance={part: tuple((one[0] / one[0].sum()).tolist()) for part, one in totals.items()},
    )
    (folder / CARD).write_text(card.model_dump_json(indent=2) + "\n", encoding="utf-8")
    return card


class _Counts:
    """Counts by the digests of tasks while rows are made; ``names`` are the tasks' own.

    ``totals`` has the weights of the bins, and the sums of their targets.
    """

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self.runs: Counter[str] = Counter()
        self.rows: Counter[str] = Counter()
        self.totals: dict[str, Floats] = {}
        self.empty_runs = 0

    def counted(self, logs: Iterable[RunLog], objective: Objective) -> Iterator[Row]:
        """The rows of all runs."""
        bins = objective.bins
        for log in logs:
            row: Row | None = None
            for row in (row for one in decisions(log) for row in rows(one, objective)):
                task = row.task_digest
                self.names[task] = row.task
                self.rows[task] += 1
                sums = bins.shares((target, share * target) for target, share in row.targets)
                both = np.array([bins.shares(row.targets), sums])
                self.totals[task] = self.totals.get(task, np.zeros_like(both)) + both
                yield row
            if row is None:
                self.empty_runs += 1
            else:
                self.runs[row.task_digest] += 1
