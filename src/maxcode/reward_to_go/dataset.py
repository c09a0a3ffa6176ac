"""Datasets: a folder of rows, split by task, with a card that says from what it was made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from maxcode.errors import InputError
from maxcode.files import read_text
from maxcode.reward_to_go.rows import FORMATS, Objective, Returns, Row, read_rows
from maxcode.reward_to_go.saved import TrainedOn
from maxcode.reward_to_go.text import Bins

_LEARNED = {
    "max": "the best discounted reward that is reached, max(u, max_k gamma^k r_k)",
    "sum": "the discounted sum of rewards, r_0 + gamma r_1 + ...",
}


def readme(card: Card) -> str:
    """The whole text."""
    sides = (card.train, card.held_out)
    figures = {
        "tasks": [part.tasks for part in sides],
        "runs": [part.runs for part in sides],
        "candidates": [part.candidates for part in sides],
        "rows": [part.rows for part in sides],
        "tokens of a prompt, median": [part.prompt.median for part in sides],
        "tokens of a prompt, longest": [part.prompt.longest for part in sides],
        "tokens of a candidate, median": [part.candidate.median for part in sides],
        "tokens of a candidate, longest": [part.candidate.longest for part in sides],
    }
    pieces = [
        "# Rows for training a reward-to-go model",
        f"Made on {card.made} by maxcode {card.version} from {card.runs} runs in "
        f"{', '.join(card.stores)}; {card.empty_runs} more had no candidate that was judged.",
        f"A row is a candidate in a state of a run. What is learned is {_LEARNED[card.returns]}, "
        f"with gamma {card.gamma:g}. No task is on both sides of the split (seed {card.seed}). "
        f"Tokens are counted by: {card.tokens}.",
        _table("", ["train", "held out"], {k: [f"{n}" for n in v] for k, v in figures.items()}),
        "Share of each bin, each candidate counted once:",
        _table("bin", ["mean", "train", "held out"], _balance(card)),
        _table("policy", ["runs"], _counts(card.policies)),
        _table("generator", ["runs"], _counts(card.generators)),
        _table(
            "task",
            ["part", "runs", "candidates", "rows"],
            {
                f"{task.name} ({task.digest[:8]})": [
                    task.part,
                    f"{task.runs}",
                    f"{task.candidates}",
                    f"{task.rows}",
                ]
                for task in card.tasks
            },
        ),
    ]
    return "\n\n".join(pieces) + "\n"


def spans(bins: Bins) -> list[str]:
    """Each bin in words: ``fails``, ``0.9 to 1.1``, ``from 10``."""
    middle = [f"{low:g} to {high:g}" for low, high in pairwise(bins.edges)]
    return ["fails", *middle, f"from {bins.edges[-1]:g}"]


def _balance(card: Card) -> dict[str, list[str]]:
    return {
        span: [f"{mean:.3g}", f"{train:.1%}", f"{held_out:.1%}"]
        for span, mean, train, held_out in zip(
            spans(card.bins),
            card.bins.centres,
            card.train.balance,
            card.held_out.balance,
            strict=True,
        )
    }


def _counts(counts: Mapping[str, int]) -> dict[str, list[str]]:
    return {name: [f"{count}"] for name, count in counts.items()}


def _table(corner: str, heads: list[str], lines: Mapping[str, list[str]]) -> str:
    told = [[corner, *heads], ["---"] * (len(heads) + 1)]
    told += [[name.replace("|", "\\|"), *cells] for name, cells in lines.items()]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in told)


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
