"""Training at test time: a hook that may change a generator's weights after each round."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from maxcode.tree import Step


@dataclass(frozen=True, slots=True)
class Example:
    """A candidate of a round: prompt and answer as the journal has them, and the judged step."""

    prompt: str
    answer: str
    step: Step


class Trainer(ABC):
    """Changes the generator's weights during a search; see ``Options.trainer``.

    A round is an expansion. Weights are named by a digest of their content, which the journal
    keeps. Where a round's mean reward falls below the share ``keep`` of the best round's, the
    weights of that round are put back, and nothing is trained.
    """

    keep: float = 0.8

    @abstractmethod
    def train(self, examples: Sequence[Example], seed: int) -> str:
        """Train on a round; gives the name of the weights, saved before this returns.

        The same weights, examples and ``seed`` give the same name. Raises
        :class:`~maxcode.errors.GeneratorError` when training is impossible.
        """

    @abstractmethod
    def restore(self, checkpoint: str) -> None:
        """Put saved weights back; "" names those of the beginning.

        Raises :class:`~maxcode.errors.GeneratorError` for missing weights.
        """
