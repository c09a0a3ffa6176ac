"""How a language model is trained, and the examples it learns from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from math import fsum

from pydantic import BaseModel, ConfigDict, Field

from maxcode.errors import InputError
from maxcode.reward_to_go.dataset import Dataset
from maxcode.reward_to_go.objective import Bins, Objective
from maxcode.reward_to_go.rows import Row, expected_target
from maxcode.reward_to_go.saved import TrainedOn

TINY = "tiny"
"""A model made on the spot, for trials and machines without another."""

_RATES = {"adapter": 1e-4, "full": 2e-5, TINY: 1e-3}


class Settings(BaseModel):
    """Settings of a language model's training; the default for None depends on the model.

    ``model`` is a folder, a name on the Hugging Face hub, or ``tiny``. An adapter is trained (LoRA,
    Hu et al., arXiv 2106.09685: ``rank``, ``alpha``, ``dropout``), or with ``full`` all weights.
    ``batch`` examples are read at a time on each device, and weights change after ``accumulate``
    batches.
    Held-out examples are ranked every ``evaluate_every`` steps (None: once an epoch), and training
    ends after ``patience`` rankings without improvement. ``context`` is an input's most tokens.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str
    epochs: int = Field(default=3, ge=1)
    batch: int = Field(default=8, ge=1)
    accumulate: int = Field(default=1, ge=1)
    learning_rate: float | None = Field(default=None, gt=0)
    rank: int = Field(default=16, ge=1)
    alpha: int = Field(default=32, ge=1)
    dropout: float = Field(default=0.05, ge=0, lt=1)
    full: bool = False
    context: int | None = Field(default=None, ge=1)
    evaluate_every: int | None = Field(default=None, ge=1)
    patience: int = Field(default=3, ge=1)
    seed: int = Field(default=0, ge=0)

    @property
    def adapter(self) -> bool:
        """Whether an adapter is trained, and the weights stay as they are."""
        return not (self.full or self.model == TINY)

    @property
    def rate(self) -> float:
        """The highest learning rate."""
        kind = TINY if self.model == TINY else "adapter" if self.adapter else "full"
        return self.learning_rate or _RATES[kind]

    @property
    def tokens(self) -> int:
        """The most tokens of an input."""
        return self.context or (1024 if self.model == TINY else 4096)


@dataclass(frozen=True)
class Example:
    """A candidate, and its targets.

    ``targets`` are the probabilities of the bins over its futures, ``outcome`` is the mean target,
    ``u`` the state's. Candidates of a state share their ``decision``. Weights are 1 on average.
    """

    prompt: str
    candidate: str
    targets: tuple[float, ...]
    outcome: float
    u: float
    weight: float
    decision: tuple[str, int]


@dataclass(frozen=True)
class Data:
    """Data for training: examples, held-out examples, and their objective.

    ``trained_on`` is the card in short, ``identity`` equal for equal data. Raises
    :class:`~maxcode.errors.InputError` without examples.
    """

    train: Sequence[Example]
    held_out: Sequence[Example]
    objective: Objective
    trained_on: TrainedOn = field(default_factory=TrainedOn)
    identity: str = ""

    def __post_init__(self) -> None:
        if not self.train:
            raise InputError("there are no rows to train on")

    @classmethod
    def of(cls, dataset: Dataset) -> Data:
        """The examples of a dataset. Raises :class:`~maxcode.errors.InputError`."""
        card = dataset.card
        return cls(
            examples(dataset.rows("train"), card.bins),
            examples(dataset.rows("held_out"), card.bins),
            card.objective,
            card.trained_on,
            card.model_dump_json(),
        )


def examples(rows: Iterable[Row], bins: Bins) -> list[Example]:
    """A single example for all rows of a candidate: the cross-entropy is linear in the target.

    So nothing is read twice, and the loss is that of the rows. Equal prompts are kept once.
    """
    candidates: dict[tuple[str, int, int], list[Row]] = {}
    prompts: dict[str, str] = {}
    for row in rows:
        prompt = prompts.setdefault(row.prompt, row.prompt)
        own = row.model_copy(update={"prompt": prompt, "features": {}})
        candidates.setdefault((row.run, row.expansion, row.step), []).append(own)
    made = [_example(found, bins) for found in candidates.values()]
    mean = fsum(example.weight for example in made) / max(len(made), 1)
    return [replace(example, weight=example.weight / mean) for example in made]


def _example(rows: list[Row], bins: Bins) -> Example:
    total = fsum(row.weight for row in rows)
    targets = [0.0] * len(bins)
    for row in rows:
        targets[row.bin] += row.weight / total
    first = rows[0]
    return Example(
        first.prompt,
        first.candidate,
        tuple(targets),
        expected_target(rows),
        first.u,
        total,
        (first.run, first.expansion),
    )
