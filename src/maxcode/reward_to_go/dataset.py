"""Datasets: a folder of rows, split by task, with a card that says from what it was made."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from maxcode.errors import InputError
from maxcode.reward_to_go.bins import Bins
from maxcode.reward_to_go.row_files import FORMATS, read_rows
from maxcode.reward_to_go.rows import Objective, Returns, Row
from maxcode.reward_to_go.saved import TrainedOn
from maxcode.textfiles import read_text

CARD, README = "card.json", "README.md"

PartName = Literal["train", "held_out"]
PARTS: tuple[PartName, ...] = ("train", "held_out")


class _Told(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class TaskCard(_Told):
    """What a dataset has of one task."""

    name: str
    digest: str
    part: PartName
    runs: int
    candidates: int
    rows: int


class Lengths(_Told):
    """How long texts are, over candidates: half of them up to ``median``, and so on, in tokens."""

    median: int = 0
    nine_tenths: int = 0
    longest: int = 0


class Part(_Told):
    """One side of the split.

    ``balance`` is the share of each bin among the rows by their weights, so that each candidate
    counts once; zeros where there are none.
    """

    tasks: int
    runs: int
    candidates: int
    rows: int
    balance: tuple[float, ...]
    prompt: Lengths
    candidate: Lengths


class Card(_Told):
    """From what a dataset was made, and what is in it.

    ``made`` is a date, ``version`` that of maxcode. ``empty_runs`` had no step that was judged and
    are not counted in ``runs``. ``policies`` and ``generators`` count runs by what played those
    roles. The means of ``bins`` are those of the rows to train on. ``tokens`` says who counted.
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
    tokens: str
    tasks: tuple[TaskCard, ...]
    train: Part
    held_out: Part

    @property
    def objective(self) -> Objective:
        """What the targets are."""
        return Objective(self.bins, self.returns, self.gamma)

    @property
    def trained_on(self) -> TrainedOn:
        """What a model that learns from it says of it."""
        return TrainedOn(
            tasks=tuple(task.name for task in self.tasks if task.part == "train"),
            held_out=tuple(task.name for task in self.tasks if task.part == "held_out"),
            digests=tuple(task.digest for task in self.tasks if task.part == "train"),
            runs=self.train.runs,
            rows=self.train.rows,
        )

    def digests(self, part: PartName) -> frozenset[str]:
        """The digests of the tasks on one side."""
        return frozenset(task.digest for task in self.tasks if task.part == part)


class Dataset:
    """A dataset on disk, made by ``maxcode rtg dataset``.

    Raises :class:`InputError` for a folder that holds none.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        path = self.folder / CARD
        if not path.is_file():
            raise InputError(
                f"{folder} holds no dataset: there is no {CARD}; make one with: maxcode rtg dataset"
            )
        try:
            self.card = Card.model_validate_json(read_text(path))
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(map(str, first["loc"])) or "the whole"
            raise InputError(
                f"{path}: {where}: {first['msg']}; another version of maxcode may have made it"
            ) from error

    def rows(self, part: PartName) -> Iterator[Row]:
        """The rows of one side, in the order of runs: "train" or "held_out".

        Raises :class:`InputError` for a file that cannot be read.
        """
        names = [f"{part}.{suffix}" for suffix in FORMATS]
        found = [name for name in names if (self.folder / name).is_file()]
        if not found:
            raise InputError(f"{self.folder} is incomplete: there is no {names[0]}; make it again")
        return read_rows(self.folder / found[0])
