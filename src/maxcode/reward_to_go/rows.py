"""Rows to train reward-to-go models on: a row for each candidate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from math import fsum
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from maxcode.errors import InputError
from maxcode.files import first_problem
from maxcode.reward_to_go.decisions import Decision
from maxcode.reward_to_go.features import features
from maxcode.reward_to_go.objective import Objective
from maxcode.reward_to_go.text import candidate_text, state_text


class Row(BaseModel):
    """A candidate in a state, and its outcomes.

    ``prompt`` describes the task and the trajectory, ``candidate`` the candidate, as a language
    model reads them; ``features`` are the non-zero features, for other models. ``u`` is the
    state's, ``reward`` the candidate's own. ``targets`` are the values to learn, rising, each with
    its share of the candidate's futures, the paths through it. ``explored``: it was run whatever a
    model estimated. ``step`` counts within the run.
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
    targets: tuple[tuple[float, float], ...]
    explored: bool

    @property
    def value(self) -> float:
        """The mean target, an estimate of ``V(s, u) = E[max(u, G)]``."""
        return fsum(target * share for target, share in self.targets)


def rows(decision: Decision, objective: Objective) -> Iterator[Row]:
    """The rows of the executed candidates, in order."""
    observation = objective.seen(decision.observation)
    prompt, u = state_text(observation), observation.path.u
    for candidate in decision.candidates:
        if candidate.step is None:
            continue
        targets = Counter(objective.targets(u, candidate.futures))
        measured = features(observation, candidate.program)
        yield Row(
            task=observation.task.name,
            task_digest=decision.task,
            run=decision.run,
            expansion=observation.number,
            step=candidate.step.id,
            prompt=prompt,
            candidate=candidate_text(observation, candidate.program),
            features={name: value for name, value in measured.items() if value},
            u=u,
            reward=candidate.step.reward,
            targets=tuple((one, n / targets.total()) for one, n in sorted(targets.items())),
            explored=candidate.explored,
        )


def write_rows(path: Path, rows: Iterable[Row]) -> None:
    """Write rows to a file of JSON lines."""
    with path.open("w", encoding="utf-8") as file:
        file.writelines(f"{row.model_dump_json()}\n" for row in rows)


def read_rows(path: Path) -> Iterator[Row]:
    """The rows of a file. Raises :class:`InputError` with the place of an unreadable row."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            for number, line in enumerate(file, 1):
                try:
                    yield Row.model_validate_json(line)
                except ValidationError as error:
                    raise InputError(f"{path}:{number}: {first_problem(error)}") from error
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error
