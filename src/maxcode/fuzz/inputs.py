"""InputModel: what the given inputs of a program look like, and further ones of that kind."""

from __future__ import annotations

import random
from collections.abc import Sequence
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maxcode.errors import InputError

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


class InputModel:
    """What the given inputs of a program look like.

    Made by :meth:`learn`.
    """

    def __init__(self, examples: Sequence[bytes]) -> None:
        self._examples = tuple(examples)

    @classmethod
    def learn(cls, examples: Sequence[bytes], statement: str = "") -> InputModel:
        """The model of ``examples``; raises :class:`~maxcode.errors.InputError` if there are none.

        ``statement``, the task in words, may state limits of the values.
        """
        if not examples:
            raise InputError("no inputs were given; without them no further ones can be made")
        return cls(examples)

    def describe(self) -> str:
        """What was learned, in a few words."""
        return "inputs of no known form"

    def strategy(self, scale: float = 1.0) -> SearchStrategy[bytes]:
        """New inputs: most within what the examples show, some at its edges, some beyond.

        ``scale`` says how far beyond: at 0 nothing is.
        """
        from maxcode.fuzz.mutation import mutated  # noqa: PLC0415 - Hypothesis takes long to import

        return mutated(self._examples)

    def like(
        self, example: bytes, *, seed: int, factor: float = 1.0, distinct: bool = False
    ) -> bytes:
        """A fresh input of the size and the distribution of values of ``example``.

        Its counts are those of the example times ``factor``; ``distinct`` makes values differ
        where the example's may repeat. The same ``seed`` gives the same input. An input whose
        structure is not known comes back with its lines shuffled where it has several.
        """
        lines = example.split(b"\n")
        random.Random(seed).shuffle(lines)
        return b"\n".join(lines)

    def within(self, data: bytes) -> bool:
        """Whether an input has the structure of the examples and values in their ranges."""
        return data in self._examples


def load_strategy(path: Path) -> SearchStrategy[bytes]:
    """The strategy ``inputs`` of a Python file, which a user wrote and which is trusted.

    It may draw str, taken as UTF-8, or bytes. Raises :class:`~maxcode.errors.InputError` when the
    file cannot be read or executed, or has no such strategy.
    """
    from hypothesis.strategies import SearchStrategy  # noqa: PLC0415 - takes long to import

    spec = spec_from_file_location(f"maxcode_inputs_{path.stem}", path)
    if not path.is_file() or spec is None or spec.loader is None:
        raise InputError(f"{path}: no Python file")
    module = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise InputError(f"{path}: cannot be executed: {type(error).__name__}: {error}") from error
    inputs = getattr(module, "inputs", None)
    if not isinstance(inputs, SearchStrategy):
        raise InputError(
            f"{path}: it has to define `inputs`, a Hypothesis strategy of str or bytes, "
            f"such as `inputs = st.integers(1, 100).map(str)`"
        )

    def encoded(value: Any) -> bytes:
        if isinstance(value, bytes):
            return value
        if isinstance(value, str):
            return value.encode()
        raise InputError(f"{path}: `inputs` drew {type(value).__name__}, not str or bytes")

    return inputs.map(encoded)
