"""The format of saved models: a folder described by its ``reward_to_go.json``."""

from __future__ import annotations

import shlex
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from maxcode.errors import InputError
from maxcode.files import first_problem, read_text, write_text
from maxcode.reward_to_go.objective import Bins, Objective, Returns

FILE = "reward_to_go.json"
_DIGITS = 16
_CONTEXT = 4096  # where a language model does not say


class TrainedOn(BaseModel):
    """The card of a dataset in short: names of tasks, and numbers of runs and rows.

    ``digests`` are of the ``tasks`` in training.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    tasks: tuple[str, ...] = ()
    held_out: tuple[str, ...] = ()
    digests: tuple[str, ...] = ()
    runs: int = 0
    rows: int = 0


class Saved(BaseModel):
    """A saved model: the file ``reward_to_go.json`` of its folder.

    ``returns`` and ``gamma`` define its target, ``version`` is that of maxcode at training.
    ``features`` are the names of its inputs, in order. For a language model ``base`` is the path or
    name of the base model, ``revision`` its commit on the hub, and ``context`` the most tokens of
    an input. ``digest`` is of the other files in the folder.
    """

    model_config = ConfigDict(frozen=True)

    kind: Literal["features", "transformers"]
    bins: Bins
    returns: Returns = "max"
    gamma: float = 1.0
    version: str = ""
    trained_on: TrainedOn = TrainedOn()
    features: tuple[str, ...] = ()
    base: str = ""
    revision: str = ""
    context: int | None = None
    digest: str = ""

    @property
    def objective(self) -> Objective:
        """The objective of its estimates."""
        return Objective(self.bins, self.returns, self.gamma)

    @property
    def tokens(self) -> int:
        """The most tokens of an input of a language model."""
        return self.context or _CONTEXT

    @property
    def identity(self) -> str:
        """A digest of it all: equal for equal models, wherever their folders lie."""
        return sha256(self.model_dump_json().encode()).hexdigest()[:_DIGITS]

    @classmethod
    def read(cls, folder: str | Path) -> Saved:
        """The description in a folder. Raises :class:`InputError` for a folder without a model."""
        path = Path(folder) / FILE
        if not path.is_file():
            raise InputError(
                f"{folder} holds no reward-to-go model: there is no {FILE}; train one with: "
                "maxcode rtg train --model features --data DATASET --out "
                f"{shlex.quote(str(folder))}"
            )
        try:
            return cls.model_validate_json(read_text(path))
        except ValidationError as error:
            raise InputError(f"{path}: {first_problem(error)}") from error

    def write(self, folder: str | Path) -> None:
        """Write it into the folder, after all else. Raises :class:`InputError` where it fails."""
        saved = self.model_copy(update={"digest": _digest(Path(folder))})
        write_text(Path(folder) / FILE, saved.model_dump_json(indent=2) + "\n")


def check_free(out: Path, mark: str, noun: str, *, force: bool) -> None:
    """Raise :class:`InputError` where the folder ``out`` must not be written.

    With ``force`` a folder with the file ``mark`` may be replaced, anything else never.
    """
    if not out.exists() or (out.is_dir() and not any(out.iterdir())):
        return
    if not (out / mark).is_file():
        raise InputError(f"{out} is there and holds no {noun}; give another")
    if not force:
        raise InputError(f"{out} holds a {noun} already; --force replaces it")


def _digest(folder: Path) -> str:
    """Digest of the names and contents of the other files in the folder."""
    found = sha256()
    for path in sorted(folder.glob("*")):
        if path.is_file() and path.name != FILE:
            with path.open("rb") as file:
                found.update(f"{path.name} {file_digest(file, 'sha256').hexdigest()}\n".encode())
    return found.hexdigest()[:_DIGITS]
