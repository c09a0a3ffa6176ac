"""Tokens: those of a request by what they cost, and how they are shared out."""

from __future__ import annotations

from dataclasses import dataclass

BYTES_PER_TOKEN = 3.0
"""What a token is taken for where a provider does not tell; 2.5 to 4 are usual for code."""

FEWEST_BYTES_PER_TOKEN = 1.5
"""What is reserved for; only long rows of digits have more tokens, with some tokenizers."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens of a request, in classes of one price each; see :class:`maxcode.calls.Call`."""

    input: int = 0
    cached: int = 0
    written: int = 0
    output: int = 0
    thinking: int = 0

    def __add__(self, other: Tokens) -> Tokens:
        return Tokens(
            self.input + other.input,
            self.cached + other.cached,
            self.written + other.written,
            self.output + other.output,
            self.thinking + other.thinking,
        )

    @property
    def total(self) -> int:
        """All tokens, in and out."""
        return self.input + self.cached + self.written + self.output

    @property
    def uncached(self) -> Tokens:
        """The same without a cache."""
        return Tokens(self.input + self.cached + self.written, 0, 0, self.output, self.thinking)

    def shares(self, weights: list[int]) -> list[Tokens]:
        """Shared out exactly: input evenly, output in proportion to ``weights``."""
        evenly = [1] * len(weights)
        thinking = _shares(self.thinking, weights)
        written = _shares(self.output - self.thinking, weights)
        return [
            Tokens(*shares[:3], output=shares[3] + shares[4], thinking=shares[4])
            for shares in zip(
                _shares(self.input, evenly),
                _shares(self.cached, evenly),
                _shares(self.written, evenly),
                written,
                thinking,
                strict=True,
            )
        ]


def estimate(size: int) -> int:
    """Roughly how many tokens a text of so many bytes has."""
    return -int(-size // BYTES_PER_TOKEN)


def upper_bound(size: int) -> int:
    """How many tokens a prompt of so many bytes has at most, what frames it included."""
    return -int(-size // FEWEST_BYTES_PER_TOKEN) + 64


def _shares(total: int, weights: list[int]) -> list[int]:
    """Whole numbers in proportion to the weights, whose sum is ``total``."""
    whole = sum(weights)
    if not whole:
        weights, whole = [1] * len(weights), len(weights)
    shares, before, weight = [], 0, 0
    for own in weights:
        weight += own
        end = total * weight // whole
        shares.append(end - before)
        before = end
    return shares
