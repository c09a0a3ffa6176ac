"""A problem of the benchmark."""

from __future__ import annotations

from dataclasses import dataclass, field

KINDS = (
    *("overflow", "boundary", "aliasing", "order", "empty", "duplicates"),
    *("ties", "negative", "large", "early end"),
)
HEADER = "#include <bits/stdc++.h>\nusing namespace std;\ntypedef long long ll;\n"


@dataclass(frozen=True, slots=True)
class Wrong:
    """A change that makes the program wrong: every ``old`` in it becomes ``new``."""

    kind: str
    changes: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Problem:
    """A correct program, its examples, correct twins and wrong changes of it."""

    name: str
    source: str
    examples: tuple[bytes, ...]
    twins: tuple[str, ...]
    wrong: tuple[Wrong, ...] = field(repr=False)

    def mutant(self, wrong: Wrong) -> str:
        """The source of a wrong program."""
        source = self.source
        for old, new in wrong.changes:
            if old not in source:
                raise ValueError(f"{self.name}: {old!r} is not in the program")
            source = source.replace(old, new)
        return source


def problem(
    name: str,
    source: str,
    examples: list[str],
    twins: list[str],
    wrong: list[tuple[str, ...]],
) -> Problem:
    """A problem; each of ``wrong`` is a kind and then old and new in turn."""
    changes = []
    for kind, *pairs in wrong:
        if kind not in KINDS or len(pairs) % 2:
            raise ValueError(f"{name}: {kind} {pairs}")
        changes.append(Wrong(kind, tuple(zip(pairs[::2], pairs[1::2], strict=True))))
    return Problem(
        name, source, tuple(text.encode() for text in examples), tuple(twins), tuple(changes)
    )
