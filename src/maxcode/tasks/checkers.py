"""Checkers: comparison of an output with the expected output, and their first difference."""

from __future__ import annotations

import math
import operator
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby, zip_longest
from pathlib import Path

from maxcode.errors import InputError
from maxcode.text import counted

_Same = Callable[[bytes, bytes], bool]


@dataclass(frozen=True, slots=True)
class Difference:
    """The first difference: ``line`` counts from 1; None is a missing line.

    ``reason`` is given where the lines do not show the mistake, and ``hidden`` is a text that may
    give the expected output away. ``off`` is how far numbers are off at most, and where.
    """

    line: int
    expected: str | None
    got: str | None
    reason: str | None = None
    hidden: str = ""
    off: str = ""

    @property
    def without_expected(self) -> str:
        """The difference in words, without the expected output."""
        if self.reason is not None:
            return self.reason
        if self.got is None:
            return f"the output ends before line {self.line}"
        if self.expected is None:
            return f"the output goes on after its last line, with line {self.line}"
        return f"line {self.line} differs: got {_shortened(self.got)}{self.off}"

    def __str__(self) -> str:
        if self.reason is not None:
            return f"{self.reason}: {self.hidden}" if self.hidden else self.reason
        if self.got is None or self.expected is None:
            expected = "" if self.expected is None else f": expected {_shortened(self.expected)}"
            return self.without_expected + expected
        lines = f"expected {_shortened(self.expected)}, got {_shortened(self.got)}"
        return f"line {self.line}: {lines}{self.off}"


@dataclass(frozen=True, slots=True)
class Checker:
    """Compares a whole output with the expected one. Extra output is wrong.

    Where an output is binary (no UTF-8, or with control characters), it has neither words nor
    numbers, and each kind asks for the same bytes.

    ``kind`` is one of

    * ``tokens``: the same words on the same lines; other white space and empty lines at the end
      do not count
    * ``lines``: the same lines but for white space at their ends and empty lines at the end
    * ``exact``: the same bytes
    * ``numbers``: like tokens, but two numbers may differ by ``tolerance``, absolute or relative
      to the larger
    * ``values``: the same lines but for white space at both ends of the output; two lines that
      are one number each may differ by less than ``tolerance``, absolute
    * ``unordered``: the lines of tokens, in any order
    * ``sorted:FIELD``: the lines of tokens, sorted by the word of that number (from 1, or from -1
      backwards) as the expected ones are; those with the same word there may come in any order
    * ``program:FILE``: what a program of the task's own accepts, C++ or Python, whose source is
      ``text``; only an executor can tell, so :meth:`difference` asks for the lines of tokens
    """

    kind: str = "tokens"
    tolerance: float = 1e-6
    text: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        if problem := wrong_kind(self.kind):
            raise InputError(problem)
        if not (math.isfinite(self.tolerance) and self.tolerance >= 0):
            raise InputError(f"a tolerance is a number of at least 0, not {self.tolerance}")
        object.__setattr__(self, "tolerance", float(self.tolerance))  # 0 and 0.0 are the same

    @property
    def program(self) -> str:
        """The name of the file with the task's own checker; empty for other kinds."""
        kind, _, name = self.kind.partition(":")
        return name if kind == "program" else ""

    def difference(self, expected: bytes, got: bytes) -> Difference | None:
        """The first difference, or None when the output is right."""
        if expected == got:
            return None
        binary = is_binary(expected) or is_binary(got)
        found = self._text_difference(expected, got, operator.eq if binary else self._same())
        if found is None and binary:  # at an end, where white space does not count in text
            lines = expected.splitlines(keepends=True), got.splitlines(keepends=True)
            return _first_difference(*lines, operator.eq)
        return found

    def _text_difference(self, expected: bytes, got: bytes, same: _Same) -> Difference | None:
        if self.kind == "exact":
            lines = expected.splitlines(keepends=True), got.splitlines(keepends=True)
        elif self.kind == "values":
            lines = _text_lines(expected), _text_lines(got)
        else:
            lines = expected.rstrip().split(b"\n"), got.rstrip().split(b"\n")
        if (tied := self._tied()) and same is not operator.eq:
            return _difference_of_groups(*lines, tied)
        found = _first_difference(*lines, same)
        if found and self.kind == "numbers" and same is not operator.eq:
            return replace(found, off=self._off(*lines))
        return found

    def _off(self, expected: list[bytes], got: list[bytes]) -> str:
        """How far numbers are off at most, and where; empty where other words differ, too."""
        worst, place, count = 0.0, 0, 0
        for number, pair in enumerate(zip(expected, got, strict=False), 1):
            ours, theirs = (line.split() for line in pair)
            for words in zip(ours, theirs, strict=False):
                a, b = map(_number, words)
                if len(ours) != len(theirs) or ((a is None or b is None) and words[0] != words[1]):
                    return ""
                if a is not None and b is not None and not self._close(*words):
                    error = abs(a - b) / max(1.0, abs(a), abs(b))
                    count += 1
                    if not error <= worst:  # also where it is no number
                        worst, place = error, number
        if not count:
            return ""
        return (
            f"; {counted(count, 'number')} off, at most by {worst:.2g} (absolute or relative, line "
            f"{place}), where {self.tolerance:g} is allowed"
        )

    def _tied(self) -> Callable[[bytes], bytes | None] | None:
        """The common key of lines in free order; None where order counts."""
        kind, _, number = self.kind.partition(":")
        if kind == "unordered":
            return lambda _: None
        return partial(_word, int(number)) if kind == "sorted" else None

    def _same(self) -> _Same:
        """Whether two lines of text count as equal."""
        known: dict[str, _Same] = {
            "exact": operator.eq,
            "lines": lambda ours, theirs: ours.rstrip() == theirs.rstrip(),
            "numbers": self._same_numbers,
            "values": self._same_value,
        }
        return known.get(self.kind, lambda ours, theirs: ours.split() == theirs.split())

    def _same_numbers(self, expected: bytes, got: bytes) -> bool:
        ours, theirs = expected.split(), got.split()
        return len(ours) == len(theirs) and all(map(self._close, ours, theirs))

    def _close(self, expected: bytes, got: bytes) -> bool:
        if expected == got:
            return True
        a, b = _number(expected), _number(got)
        if a is None or b is None:
            return False
        return math.isclose(a, b, rel_tol=self.tolerance, abs_tol=self.tolerance)

    def _same_value(self, expected: bytes, got: bytes) -> bool:
        if expected == got:
            return True
        a, b = _number(expected), _number(got)
        return a is not None and b is not None and abs(a - b) < self.tolerance


KINDS = ("tokens", "lines", "exact", "numbers", "values", "unordered")
_PROGRAMS = (".py", ".cpp", ".cc", ".cxx")


def wrong_kind(kind: str) -> str:
    """The mistake in the name of a kind; empty for none."""
    name, _, value = kind.partition(":")
    if name == "sorted":
        if re.fullmatch(r"-?[1-9]\d*", value):
            return ""
        return (
            f"check {kind!r}: say by which word of a line, as in sorted:2, or sorted:-1 (the last)"
        )
    if name == "program":
        if value.endswith(_PROGRAMS) and Path(value).name == value:
            return ""
        return (
            f"check {kind!r}: name a file of the task's folder ({', '.join(_PROGRAMS)}), as in "
            "program:check.py"
        )
    if kind in KINDS:
        return ""
    return f"unknown kind of check {kind!r}; known: {', '.join(KINDS)}, sorted:FIELD, program:FILE"


_CONTROL = re.compile(rb"[\x00-\x06\x0e-\x1a\x7f]")
"""Bytes foreign to text: control bytes other than white space, the bell and terminals' colours."""


def is_binary(output: bytes) -> bool:
    """Whether bytes for white space in text have another meaning here."""
    if _CONTROL.search(output):
        return True
    try:
        output.decode()
    except UnicodeDecodeError:
        return True
    return False


def _number(text: bytes) -> float | None:
    """None also for numbers of Python alone: 1_000, and digits of other scripts."""
    try:
        return None if b"_" in text else float(text)
    except ValueError:
        return None


def _text_lines(output: bytes) -> list[bytes]:
    """As Python's text has them: more characters are white space and end lines than in bytes."""
    text = output.decode("utf-8", "surrogateescape")
    return [line.encode("utf-8", "surrogateescape") for line in text.strip().splitlines()]


def _first_difference(expected: list[bytes], got: list[bytes], same: _Same) -> Difference | None:
    for number, (ours, theirs) in enumerate(zip_longest(expected, got), 1):
        if ours is None or theirs is None or not same(ours, theirs):
            return Difference(number, _text(ours), _text(theirs))
    return None


def _word(number: int, line: bytes) -> bytes | None:
    words = line.split()
    index = number - 1 if number > 0 else number
    return words[index] if -len(words) <= index < len(words) else None


def _difference_of_groups(
    expected: list[bytes], got: list[bytes], tied: Callable[[bytes], bytes | None]
) -> Difference | None:
    """The first difference where tied neighbours may come in any order."""
    begin = 0
    for _, group in groupby(expected, tied):
        ours = list(group)
        theirs = got[begin : begin + len(ours)]
        missing = Counter(tuple(line.split()) for line in ours)
        others: list[int] = []
        for number, line in enumerate(theirs):
            if missing[words := tuple(line.split())]:
                missing[words] -= 1
            else:
                others.append(number)
        left = [line for line in ours if missing[tuple(line.split())]]
        if others:
            return Difference(begin + others[0] + 1, _text(left[0]), _text(theirs[others[0]]))
        if left:
            return Difference(len(got) + 1, _text(left[0]), None)
        begin += len(ours)
    return Difference(begin + 1, None, _text(got[begin])) if len(got) > begin else None


def _text(line: bytes | None) -> str | None:
    """For people. Bytes are compared: two different lines may read alike."""
    return None if line is None else line.decode("utf-8", "backslashreplace")


def _shortened(line: str, limit: int = 80) -> str:
    return repr(line if len(line) <= limit else line[:limit] + "...")
