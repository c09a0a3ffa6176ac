"""Datasets: a folder of rows, split by task, with a card about its origin."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from maxcode.errors import InputError
from maxcode.files import first_problem, read_text
from maxcode.reward_to_go.objective import Bins, Objective, Returns
from maxcode.reward_to_go.rows import Row, read_rows
from maxcode.reward_to_go.saved import TrainedOn

CARD = "card.json"

PartName = Literal["train", "held_out"]
PARTS: tuple[PartName, ...] = ("train", "held_out")


class TaskCard(BaseModel):
    """A dataset's part from a single task."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    digest: str
    part: PartName
    runs: int
    rows: int


class Card(BaseModel):
    """Origin and contents of a dataset.

    ``made`` is a date, ``version`` maxcode's. ``empty_runs`` had no judged step and are not counted
    elsewhere. The means of ``bins`` are those of the rows to train on, and ``balance`` is the share
    of each bin on either side, each candidate counting once.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    made: str
    version: str
    stores: tuple[str, ...]
    empty_runs: int
    returns: Returns
    gamma: float
    bins: Bins
    seed: int
    tasks: tuple[TaskCard, ...]
    balance: dict[PartName, tuple[float, ...]]

    @property
    def objective(self) -> Objective:
        """The objective of the targets."""
        return Objective(self.bins, self.returns, self.gamma)

    @property
    def trained_on(self) -> TrainedOn:
        """The card in short, saved with trained models."""
        train = self.part("train")
        return TrainedOn(
            tasks=tuple(task.name for task in train),
            held_out=tuple(task.name for task in self.part("held_out")),
            digests=tuple(task.digest for task in train),
            runs=sum(task.runs for task in train),
            rows=sum(task.rows for task in train),
        )

    def part(self, name: PartName) -> list[TaskCard]:
        """The tasks of a side."""
        return [task for task in self.tasks if task.part == name]


class Dataset:
    """A dataset on disk, made by ``maxcode rtg dataset``.

    Raises :class:`InputError` for a folder without a dataset.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        path = self.folder / CARD
        if not path.is_file():
            raise InputError(
                f"{folder} holds no dataset: there is no {CARD}; make one with: "
                f"maxcode rtg dataset --out {shlex.quote(str(folder))}"
            )
        try:
            self.card = Card.model_validate_json(read_text(path))
        except ValidationError as error:
            raise InputError(
                f"{path}: {first_problem(error)}; another version of maxcode may have made it"
            ) from error

    def rows(self, part: PartName) -> Iterator[Row]:
        """The rows of a side, in the order of runs: "train" or "held_out".

        Raises :class:`InputError` for an unreadable file.
        """
        return read_rows(self.folder / f"{part}.jsonl")
