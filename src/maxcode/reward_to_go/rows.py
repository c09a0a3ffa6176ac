"""Rows: what a reward-to-go model learns from, one for each future of each candidate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import fsum
from pathlib import Path
from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict, ValidationError

from maxcode.errors import InputError
from maxcode.files import import_arrow, table_file
from maxcode.observation import Observation
from maxcode.returns import discounted_sums, enforce_value, value_target
from maxcode.reward_to_go.decisions import Decision
from maxcode.reward_to_go.features import features
from maxcode.reward_to_go.text import Bins, candidate_text, state_text

Returns = Literal["max", "sum"]
"""What is learned: ``max(u, max_k gamma^k r_k)``, or the discounted sum for comparison."""


@dataclass(frozen=True)
class Objective:
    """What targets are, and into which bins they fall. Raises :class:`InputError`."""

    bins: Bins = field(default_factory=Bins)
    returns: Returns = "max"
    gamma: float = 1.0

    def __post_init__(self) -> None:
        if self.returns not in get_args(Returns):
            known = ", ".join(get_args(Returns))
            raise InputError(f"unknown returns {self.returns!r}; known: {known}")
        if not 0 < self.gamma <= 1:
            raise InputError(f"gamma must lie in (0, 1], not {self.gamma}")

    def target(self, u: float, rewards: Sequence[float]) -> float:
        """What is learned of a candidate with these rewards from its own on, in a state with u."""
        if self.returns == "sum":
            return discounted_sums(rewards, self.gamma)[0]
        return value_target(u, rewards, self.gamma)

    def worth(self, distribution: Sequence[float], u: float) -> float:
        """The estimate that probabilities of the bins make in a state with u; at least u.

        Of sums it is u and the expected sum: so all estimates are at least u, and candidates of a
        state are ordered by their sums.
        """
        if self.returns == "sum":
            return u + self.bins.expectation(distribution)
        return self.bins.expectation(distribution, u)

    def raised(self, target: float, u: float) -> float:
        """The estimate that an expected target makes in a state with u; at least u."""
        return u + max(target, 0.0) if self.returns == "sum" else enforce_value(target, u)

    def seen(self, observation: Observation) -> Observation:
        """The observation with u as it is under this objective's discount, whatever the run's."""
        return replace(observation, trajectory=replace(observation.path, gamma=self.gamma))


class Row(BaseModel):
    """A candidate in a state, and one thing that became of it.

    ``prompt`` tells the task and the trajectory, ``candidate`` the candidate, as a language model
    reads them; ``features`` are those that are not 0, for other models. ``u`` is the state's,
    ``reward`` the candidate's own, ``target`` what is learned, ``bin`` where that falls. A
    candidate has a row for each target among its futures, the paths through it, and ``weight`` is
    the share of them that have it: the mean of its rows is an estimate of
    ``V(s, u) = E[max(u, G)]``. ``explored`` tells that it was run whatever a model said of it.
    ``step`` counts within the run.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    task: str
    task_digest: str
    run: str
    expansion: int
    step: int
    prompt: str
    candidate: str
    features: dict[str, float]
    u: float
    reward: float
    target: float
    bin: int
    weight: float
    explored: bool


def rows(decision: Decision, objective: Objective) -> Iterator[Row]:
    """The rows of the candidates that were run, in order; rising targets for each of them."""
    observation = objective.seen(decision.observation)
    prompt, u = state_text(observation), observation.path.u
    for candidate in decision.judged:
        if candidate.step is None:
            continue
        targets = Counter(objective.target(u, future) for future in candidate.futures)
        text = candidate_text(observation, candidate.program)
        measured = features(observation, candidate.program)
        measured = {name: value for name, value in measured.items() if value}
        for target, count in sorted(targets.items()):
            yield Row(
                task=observation.task.name,
                task_digest=decision.task,
                run=decision.run,
                expansion=observation.number,
                step=candidate.step.id,
                prompt=prompt,
                candidate=text,
                features=measured,
                u=u,
                reward=candidate.step.reward,
                target=target,
                bin=objective.bins.index(target),
                weight=count / targets.total(),
                explored=candidate.explored,
            )


def expected_target(rows: Sequence[Row]) -> float:
    """``V(s, u)`` of a candidate: the mean of its rows' targets by their weights."""
    return fsum(row.weight * row.target for row in rows) / fsum(row.weight for row in rows)


FORMATS = ("jsonl", "parquet")

_GROUP = 1000  # rows that are in memory at a time


def check_format(name: str) -> None:
    """Raise :class:`InputError` for an unknown format, :class:`ToolError` where pyarrow lacks."""
    if name not in FORMATS:
        raise InputError(f"unknown format {name!r}; known: {', '.join(FORMATS)}")
    if name == "parquet":
        import_arrow()


def write_rows(path: Path, rows: Iterable[Row]) -> None:
    """Write rows to a file, whose suffix says in which format."""
    if path.suffix == ".parquet":
        _write_parquet(path, rows)
        return
    with path.open("w", encoding="utf-8") as file:
        file.writelines(f"{row.model_dump_json()}\n" for row in rows)


def read_rows(path: Path) -> Iterator[Row]:
    """The rows of a file. Raises :class:`InputError` that says where it cannot be read."""
    try:
        yield from _read_parquet(path) if path.suffix == ".parquet" else _read_lines(path)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"cannot read {path}: it is no text in UTF-8; make it again") from error


def _read_lines(path: Path) -> Iterator[Row]:
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            try:
                yield Row.model_validate_json(line)
            except ValidationError as error:
                first = error.errors(include_url=False)[0]
                where = ".".join(map(str, first["loc"])) or "the whole line"
                raise InputError(f"{path}:{number}: {where}: {first['msg']}") from error


def _write_parquet(path: Path, rows: Iterable[Row]) -> None:
    columns = {name: field.annotation for name, field in Row.model_fields.items()}
    with table_file(path, columns) as write:
        for row in rows:
            write(row.model_dump())


def _read_parquet(path: Path) -> Iterator[Row]:
    arrow, parquet = import_arrow()
    try:
        with parquet.ParquetFile(path) as file:
            for group in file.iter_batches(_GROUP):
                for row in group.to_pylist():
                    yield Row.model_validate({**row, "features": dict(row["features"])})
    except (arrow.ArrowException, ValidationError, KeyError) as error:
        raise InputError(f"{path} holds no rows that can be read: {error}") from error
