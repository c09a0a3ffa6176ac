"""InputModel: learned format of a program's inputs, and further inputs of this format."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from random import Random
from time import monotonic
from typing import Any

from maxcode.errors import InputError
from maxcode.fuzz.describing import Description
from maxcode.fuzz.drawing import MAX_SIZE, SIZES, Drawing, TooLargeError
from maxcode.fuzz.facts import UNLIMITED, Facts, beyond, learn_facts
from maxcode.fuzz.json_values import JsonModel
from maxcode.fuzz.limits import Limits, declared, extended, permits_equal, speaks_of_unique
from maxcode.fuzz.reducing import smaller
from maxcode.fuzz.search import find_structure
from maxcode.fuzz.sizing import Refreshing
from maxcode.fuzz.structure import (
    Document,
    Items,
    MismatchError,
    counting_keys,
    parse,
    rendered,
)
from maxcode.fuzz.weakening import weaker, with_equals

_SECONDS = 15.0  # that are spent on a structure, on the largest examples
_WAYS = 2  # to go beyond what is known, that are named
_EDGES = 0.6  # of the inputs have values at the edges of their ranges
_OTHER = "another format"
_FORBIDDEN = {_OTHER, UNLIMITED}  # which no program has to be right on
_TRIES = 20  # draws for one input


class InputModel:
    """Learned format of a program's inputs, made by :meth:`learn`.

    ``known``: all examples share a structure; otherwise no input is made.
    """

    def __init__(
        self,
        examples: Sequence[bytes],
        items: Items | None,
        facts: Facts,
        *,
        given_up: float | None = None,
    ) -> None:
        self.known = items is not None
        self._examples = tuple(examples)
        self._items = items or ()
        self._facts = facts
        self._given_up = given_up
        self._crlf = all(b"\r\n" in example for example in examples)
        self._endings = sorted({_ending(example) for example in examples})
        whole = b"".join(examples)
        self._tabs = b"\t" in whole and b" " not in whole
        self._largest = max(MAX_SIZE, 2 * min(map(len, examples)))

    @classmethod
    def learn(
        cls,
        examples: Sequence[bytes],
        seconds: float = _SECONDS,
        *,
        statement: str = "",
        limits: Limits | None = None,
    ) -> InputModel:
        """The model of ``examples``.

        The simplest structure is chosen among those able to read every example: counts of following
        values or lines, rows, tables, records, test cases, lines up to a last line. Fields have the
        ranges of all examples together, of ``limits`` by their names in the description, and of a
        ``statement``. The search ends after about ``seconds`` with the best structure so far.

        Raises :class:`~maxcode.errors.InputError` without examples, and for limits of unknown
        fields or narrower than the examples.
        """
        if not examples:
            raise InputError("no inputs were given; without them no further ones can be made")
        documents = [document for one in examples if (document := _document(one)) is not None]
        until = monotonic() + seconds
        items = find_structure(documents, until) if len(documents) == len(examples) else None
        if items is None:
            given_up = seconds if monotonic() > until else None
            if limits:
                raise InputError("[fuzz.limits]: the tests have no structure that could be learned")
            return cls(examples, None, {}, given_up=given_up)
        unique = speaks_of_unique(statement)
        facts = learn_facts(items, documents, unique=unique)
        facts = with_equals(facts) if permits_equal(statement) else facts
        names = Description(items, facts).names
        declared(facts, names, limits or {})
        extended(facts, names, statement, counting_keys(items, {}))
        return cls(examples, items, facts)

    def describe(self) -> str:
        """Learned format, in words."""
        if not self.known:
            why = f", given up after {self._given_up:g} s" if self._given_up is not None else ""
            return f"inputs of no known structure{why}"
        return Description(self._items, self._facts).text

    def draw(self, seed: int, count: int, *, beyond: bool = False) -> list[bytes]:
        """Draw up to ``count`` inputs within the known format and ranges, or ``beyond`` them.

        Equal seeds draw equal inputs. An input has at most 64 KiB, or twice the size of the
        smallest example.
        """
        drawn = []
        for number in range(count if self.known else 0):
            chance = Random(f"{seed} {number} {beyond}")
            for _ in range(_TRIES):
                size, edges = chance.choice(SIZES), chance.random() < _EDGES
                facts = self._facts
                if beyond:  # large and wide is more than many a right program has time for
                    facts = weaker(facts, chance, wider=size != "large")
                    if facts == self._facts:
                        continue
                try:
                    drawing = Drawing(
                        self._items, facts, chance, self._largest / 2, size=size, edges=edges
                    )
                    data = self._finished(drawing.text(), chance.choice(self._endings))
                except (TooLargeError, MismatchError):
                    continue
                # cut short it would lack what its counts announce
                far = set(self._ways(data))
                allowed = bool(far) is beyond and not far & _FORBIDDEN
                if len(data) <= self._largest and allowed:
                    drawn.append(data)
                    break
        return drawn

    def like(self, example: bytes, *, seed: int, wide: bool = False) -> bytes:
        """A fresh input of the size and the distribution of values of ``example``.

        ``wide``: single numbers lie anywhere in the range of all examples. Equal seeds give equal
        inputs. Raises :class:`~maxcode.errors.InputError` for an example without the learned
        structure, or if none was learned.
        """
        if not self.known:
            raise InputError("the inputs have no known structure, so none of the same size is made")
        read = self._read(example)
        if read is None:
            raise InputError("the example does not have the structure of the others")
        fresh = Refreshing(self._items, self._facts, Random(seed), wide=wide)
        try:
            fresh.refresh(self._items, read)
        except MismatchError:
            raise InputError("a limit in the example is unknown after its values changed") from None
        text = "\n".join(rendered(self._items, read))
        return self._finished(text, _ending(example))

    def beyond(self, data: bytes) -> str:
        """Ways in which an input leaves the known format and ranges, in words; empty for none.

        The first two different ways are named, such as "12, more than 9".
        """
        ways: dict[str, str] = {}
        for problem in self._ways(data):
            ways.setdefault(problem.partition(", ")[2], problem)
            if len(ways) == _WAYS:
                break
        return "; ".join(ways.values())

    def _ways(self, data: bytes) -> Iterator[str]:
        """All ways in which an input leaves the known format and ranges."""
        if data in self._examples:
            return
        read = self._read(data) if self.known else None
        if read is None:
            yield _OTHER
            return
        try:
            yield from beyond(self._items, self._facts, read)
        except MismatchError:
            yield _OTHER

    def smaller(self, data: bytes) -> Iterator[bytes]:
        """Smaller inputs: with fewer rows, then with simpler fields."""
        read = self._read(data) if self.known else None
        for less in smaller(self._items, self._facts, read) if read is not None else ():
            text = "\n".join(rendered(self._items, less))
            made = self._finished(text, _ending(data))
            if (len(made), made) < (len(data), data) and self._read(made) is not None:
                yield made

    def _read(self, data: bytes) -> list[Any] | None:
        """The parsed input; None for another structure."""
        document = _document(data)
        try:
            return None if document is None else parse(self._items, document)
        except MismatchError:
            return None

    def _finished(self, text: str, ending: str) -> bytes:
        text += ending
        text = text.replace(" ", "\t") if self._tabs else text
        return (text.replace("\n", "\r\n") if self._crlf else text).encode()


@lru_cache(16)  # an executor and all prompts of a task ask for the same
def learned(
    examples: tuple[bytes, ...], statement: str, limits: tuple[tuple[str, float, float], ...]
) -> InputModel | JsonModel:
    """The model of examples: of lines of JSON with values in one another, or of any others."""
    if not limits and (found := JsonModel.of(examples)):
        return found
    known = {name: (low, high) for name, low, high in limits}
    return InputModel.learn(examples, statement=statement, limits=known)


def _document(example: bytes) -> Document | None:
    """The text of an input; None for binary data."""
    try:
        text = example.decode().replace("\r\n", "\n")
    except UnicodeDecodeError:
        return None
    readable = text.replace("\n", "").replace("\t", "").isprintable()
    return Document.of(text) if readable else None


def _ending(example: bytes) -> str:
    text = example.replace(b"\r\n", b"\n")
    return "\n" * (len(text) - len(text.rstrip(b"\n")))
