"""Options of a search, and the derivation of seeds from its seed."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field
from typing import Any

from maxcode.errors import InputError
from maxcode.observation import Observe
from maxcode.trainer import Trainer

FUZZ = 500
"""Number of generated inputs on which a would-be best is compared with the baseline."""

MINIMISE = 0.15
"""Share of a search's spending allowed for reducing its best program."""

MIN_GAIN = 0.01
"""Relative gain below which a program is not worth changing."""

SUBMITTED = "submitted"
"""Only key in the recipe of a run whose candidates an agent hands in; it names the task."""


def _processors() -> int:
    return os.cpu_count() or 1


@dataclass(frozen=True)
class Options:
    """Options of a search. They are kept with the run; a resumed run goes on with them.

    Only ``threads`` and ``trainer`` are the session's own.

    * ``seed``: everything random is derived from it
    * ``gamma``: the discount of max-reward returns, in (0, 1]
    * ``observe``: the observation of generators; None leaves it to the policy
    * ``in_flight``: below how many expansions under way the policy is asked for more; None: the
      policy chooses when the run begins
    * ``threads``: how many evaluations may build and check at a time; changes no result, once
      ``in_flight`` is chosen
    * ``propose``, ``run``: with a reward-to-go model, ``run`` of each ``propose`` proposals are run
    * ``explore``: the chance of a place among these to be drawn, to judge the model without bias
    * ``guard``: until the model's estimates agree with outcomes, no more are proposed than are run
    * ``attempts``: how many earlier attempts along the path are shown
    * ``patience``: the search ends after so many candidates in a row with nothing new to run
    * ``fuzz``: on how many generated inputs an apparent new best is compared with the baseline;
      0 leaves this, and measuring on held-out inputs, off
    * ``minimise``: share of the evaluations spent, and of the seconds in the budget, beside them,
      for reducing the best program's difference from the baseline; 0 for no reduction
    * ``min_gain``: a best program that gains less, relatively, or less than its layouts differ, is
      not worth a change: the result is the baseline
    * ``trainer``: a :class:`~maxcode.trainer.Trainer` of the generator's weights; needs
      ``in_flight`` 1, and has to be given again to go on with the run
    * ``recipe``: stored with a new run for the caller's own use, never read here
    """

    seed: int = 0
    gamma: float = 1.0
    observe: Observe | None = None
    in_flight: int | None = 1
    threads: int = field(default_factory=_processors)
    propose: int = 2
    run: int = 1
    explore: float = 0.1
    guard: bool = False
    attempts: int = 32
    patience: int = 40
    fuzz: int = FUZZ
    minimise: float = MINIMISE
    min_gain: float = MIN_GAIN
    recipe: dict[str, Any] = field(default_factory=dict)
    trainer: Any = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        least = {"in_flight": 1, "threads": 1, "propose": 1, "run": 1, "attempts": 0}
        for name, bound in {**least, "patience": 1, "fuzz": 0}.items():
            given = getattr(self, name)
            if given is not None and given < bound:
                raise InputError(f"options: {name} must be at least {bound}")
        if not isinstance(self.trainer, Trainer | None):
            raise InputError(f"options: trainer is a maxcode.trainer.Trainer, not {self.trainer!r}")
        if self.trainer and self.in_flight != 1:
            raise InputError("options: a trainer needs in_flight=1, so that a round has one model")
        if self.run > self.propose:
            raise InputError(f"options: cannot run {self.run} of {self.propose} proposals")
        if not 0 <= self.explore <= 1:
            raise InputError(f"options: explore is a share from 0 to 1, not {self.explore}")
        if not 0 <= self.minimise <= 1:
            raise InputError(f"options: minimise is a share from 0 to 1, not {self.minimise}")
        if self.min_gain < 0:
            raise InputError(f"options: min_gain is a share of at least 0, not {self.min_gain}")
        if not 0 < self.gamma <= 1:
            raise InputError(f"options: gamma must lie in (0, 1], not {self.gamma}")


def derive(seed: int, purpose: str, number: int) -> int:
    """A seed of its own for each purpose and expansion, the same on every machine."""
    digest = hashlib.sha256(f"{seed}:{purpose}:{number}".encode()).digest()
    return int.from_bytes(digest[:8], "big")
