"""Datasets: a folder of rows, split by task, with a card about its origin."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from itertools import pairwise
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


class _CardModel(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class TaskCard(_CardModel):
    """A dataset's part from a single task."""

    name: str
    digest: str
    part: PartName
    runs: int
    candidates: int
    rows: int


class Lengths(_CardModel):
    """How long texts are, over candidates, in tokens: half of them up to ``median``, and so on."""

    median: int = 0
    nine_tenths: int = 0
    longest: int = 0


class Part(_CardModel):
    """A side of the split.

    ``balance`` is the share of each bin among the rows by their weights, so each candidate counts
    once; zeros for an empty side.
    """

    tasks: int
    runs: int
    candidates: int
    rows: int
    balance: tuple[float, ...]
    prompt: Lengths
    candidate: Lengths


class Card(_CardModel):
    """Origin and contents of a dataset.

    ``made`` is a date, ``version`` maxcode's. ``empty_runs`` had no judged step and are not counted
    in ``runs``. ``policies`` and ``generators`` count runs by plug-in. The means of ``bins`` are
    those of the rows to train on.
    """

    made: str
    version: str
    stores: tuple[str, ...]
    runs: int
    empty_runs: int
    policies: dict[str, int]
    generators: dict[str, int]
    returns: Returns
    gamma: float
    bins: Bins
    seed: int
    tasks: tuple[TaskCard, ...]
    train: Part
    held_out: Part

    @property
    def objective(self) -> Objective:
        """The objective of the targets."""
        return Objective(self.bins, self.returns, self.gamma)

    @property
    def trained_on(self) -> TrainedOn:
        """The card in short, saved with trained models."""
        return TrainedOn(
            tasks=tuple(task.name for task in self.tasks if task.part == "train"),
            held_out=tuple(task.name for task in self.tasks if task.part == "held_out"),
            digests=tuple(task.digest for task in self.tasks if task.part == "train"),
            runs=self.train.runs,
            rows=self.train.rows,
        )

    def digests(self, part: PartName) -> frozenset[str]:
        """The digests of the tasks of a side."""
        return frozenset(task.digest for task in self.tasks if task.part == part)


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
        path = self.folder / f"{part}.jsonl"
        if not path.is_file():
            raise InputError(f"{self.folder} is incomplete: there is no {path.name}; make it again")
        return read_rows(path)


def spans(bins: Bins) -> list[str]:
    """Each bin in words: ``fails``, ``0.9 to 1.1``, ``from 10``."""
    middle = [f"{low:g} to {high:g}" for low, high in pairwise(bins.edges)]
    return ["fails", *middle, f"from {bins.edges[-1]:g}"]
