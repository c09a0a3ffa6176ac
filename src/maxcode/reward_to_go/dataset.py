"""Datasets: a folder of rows, split by task, with a card about its origin, and a README."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from maxcode.errors import InputError
from maxcode.files import read_text
from maxcode.reward_to_go.objective import Bins, Objective, Returns
from maxcode.reward_to_go.rows import Row, read_rows
from maxcode.reward_to_go.saved import TrainedOn, first_problem

CARD, README = "card.json", "README.md"

PartName = Literal["train", "held_out"]
PARTS: tuple[PartName, ...] = ("train", "held_out")

_LEARNED = {
    "max": "the best discounted reward that is reached, max(u, max_k gamma^k r_k)",
    "sum": "the discounted sum of rewards, r_0 + gamma r_1 + ...",
}


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
                f"{folder} holds no dataset: there is no {CARD}; make one with: maxcode rtg dataset"
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


def readme(card: Card) -> str:
    """The dataset's README.md, from its card."""
    parts = (card.train, card.held_out)
    figures = {
        "tasks": [part.tasks for part in parts],
        "runs": [part.runs for part in parts],
        "candidates": [part.candidates for part in parts],
        "rows": [part.rows for part in parts],
        "tokens of a prompt, median": [part.prompt.median for part in parts],
        "tokens of a prompt, longest": [part.prompt.longest for part in parts],
        "tokens of a candidate, median": [part.candidate.median for part in parts],
        "tokens of a candidate, longest": [part.candidate.longest for part in parts],
    }
    columns = (card.bins.centres, card.train.balance, card.held_out.balance)
    balance = {
        span: [f"{mean:.3g}", f"{train:.1%}", f"{held_out:.1%}"]
        for span, mean, train, held_out in zip(spans(card.bins), *columns, strict=True)
    }
    tasks = {
        f"{task.name} ({task.digest[:8]})": [task.part, task.runs, task.candidates, task.rows]
        for task in card.tasks
    }
    paragraphs = [
        "# Rows for training a reward-to-go model",
        f"Made on {card.made} by maxcode {card.version} from {card.runs} runs in "
        f"{', '.join(card.stores)}; {card.empty_runs} more had no candidate that was judged.",
        f"A row is a candidate in a state of a run. What is learned is {_LEARNED[card.returns]}, "
        f"with gamma {card.gamma:g}: a row for each different target among the paths through it. "
        f"No task is on both sides of the split (seed {card.seed}). "
        "Tokens are estimated, 3 bytes each.",
        _table("", ["train", "held out"], figures),
        "Share of each bin, each candidate counted once:",
        _table("bin", ["mean", "train", "held out"], balance),
        _table("policy", ["runs"], {name: [count] for name, count in card.policies.items()}),
        _table("generator", ["runs"], {name: [count] for name, count in card.generators.items()}),
        _table("task", ["part", "runs", "candidates", "rows"], tasks),
    ]
    return "\n\n".join(paragraphs) + "\n"


def _table(corner: str, heads: list[str], lines: Mapping[str, Sequence[object]]) -> str:
    cells: list[list[object]] = [[corner, *heads], ["---"] * (len(heads) + 1)]
    cells += [[name.replace("|", "\\|"), *line] for name, line in lines.items()]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in cells)
