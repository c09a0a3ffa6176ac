"""InputModel: what the given inputs of a program look like, and further ones of that kind."""

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
from maxcode.fuzz.limits import Limits, declared, extended, permits_equal, speaks_of_unique
from maxcode.fuzz.reducing import rendered, smaller
from maxcode.fuzz.search import find_structure
from maxcode.fuzz.sizing import Refreshing
from maxcode.fuzz.structure import Document, Items, MismatchError, counting_keys, parse
from maxcode.fuzz.weakening import weaker, with_equals

_SECONDS = 15.0  # that are spent on a structure, on the largest examples
_WAYS = 2  # to go beyond what is known, that are named
_EDGES = 0.6  # of the inputs have values at the edges of their ranges
_OTHER = "another format"
_FORBIDDEN = (_OTHER, UNLIMITED)  # which no program has to be right on
_TRIES = 20  # draws for one input


class InputModel:
    """What the given inputs of a program look like, made by :meth:`learn`.

    ``known`` says whether a structure was found that all examples share; without one no input is
    made.
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
        texts = [example.decode("latin-1") for example in examples]
        self._crlf = bool(texts) and all("\r\n" in text for text in texts)
        self._endings = tuple(sorted({_ending(text) for text in texts})) or ("\n",)
        self._tabs = bool(texts) and not any(" " in text for text in texts)
        self._tabs = self._tabs and any("\t" in text for text in texts)
        self._largest = max(MAX_SIZE, 2 * min(map(len, examples), default=0))

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

        A structure has to read every example. The simplest is taken: counts that say how many
        values or lines follow, rows, tables, records, test cases, lines up to a last one. Fields
        have the ranges that they have in all examples together, those of ``limits`` by their names
        in the description, and those that a ``statement`` gives. Large examples whose lines differ
        in kind may be read in many ways: the search ends after about so many ``seconds`` with the
        best found by then. Raises :class:`~maxcode.errors.InputError` without examples, and for
        limits of unknown fields or narrower than the examples.
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
            return cls(examples, None, Facts({}, {}), given_up=given_up)
        unique = speaks_of_unique(statement)
        try:
            facts = learn_facts(items, documents, unique=unique)
        except MismatchError:  # values of one line, spread over several
            joined = [document.joined() for document in documents]
            facts = learn_facts(items, joined, unique=unique)
        facts = with_equals(facts) if permits_equal(statement) else facts
        names = Description(items, facts).names
        declared(facts, names, limits or {})
        extended(facts, names, statement, counting_keys(items, {}))
        return cls(examples, items, facts)

    def describe(self) -> str:
        """What was learned, in a few words."""
        if not self.known:
            why = f", given up after {self._given_up:g} s" if self._given_up is not None else ""
            return f"inputs of no known structure{why}"
        return Description(self._items, self._facts).text

    def draw(self, seed: int, count: int, *, beyond: bool = False) -> list[bytes]:
        """So many new inputs, within what is known or ``beyond`` it; fewer where none is found.

        The same ``seed`` draws the same inputs. They have at most 64 KiB, or twice what the
        smallest example has.
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
                except (
                    TooLargeError,
                    KeyError,
                ):  # such as the length of a word that became a number
                    continue
                # cut short it would lack what its counts announce
                far = self.beyond(data)
                if (
                    len(data) <= self._largest
                    and bool(far) is beyond
                    and not any(one in far for one in _FORBIDDEN)
                ):
                    drawn.append(data)
                    break
        return drawn

    def like(self, example: bytes, *, seed: int, wide: bool = False) -> bytes:
        """A fresh input of the size and the distribution of values of ``example``.

        ``wide`` has single numbers be anywhere between those of all examples. The same ``seed``
        gives the same input. Raises :class:`~maxcode.errors.InputError` for an example that does
        not have the structure learned, or if none was.
        """
        if not self.known:
            raise InputError("the inputs have no known structure, so none of the same size is made")
        read = self._read(example)
        if read is None:
            raise InputError("the example does not have the structure of the others")
        fresh = Refreshing(self._items, self._facts, Random(seed), wide=wide)
        fresh.refresh(self._items, read, {})
        text = "\n".join(rendered(self._items, read))
        return self._finished(text, _ending(example.decode("latin-1")))

    def beyond(self, data: bytes) -> str:
        """In words, in what an input goes beyond what is known; nothing for one within that.

        Of each way, such as "more than 9", the first that comes is named, and two at the most.
        """
        if data in self._examples:
            return ""
        read = self._read(data) if self.known else None
        if read is None:
            return _OTHER
        ways: dict[str, str] = {}
        try:
            for problem in beyond(self._items, self._facts, read):
                ways.setdefault(problem.partition(", ")[2], problem)
                if len(ways) == _WAYS:
                    break
        except KeyError:  # a number where the length of a word is a limit
            return _OTHER
        return "; ".join(ways.values())

    def smaller(self, data: bytes) -> Iterator[bytes]:
        """Inputs without some rows of this one, and then with simpler fields."""
        read = self._read(data) if self.known else None
        for less in smaller(self._items, self._facts, read) if read is not None else ():
            text = "\n".join(rendered(self._items, less))
            made = self._finished(text, _ending(data.decode("latin-1")))
            if (len(made), made) < (len(data), data) and self._read(made) is not None:
                yield made

    def _read(self, data: bytes) -> list[Any] | None:
        """What an input is read as; None where it has another structure."""
        document = _document(data)
        for one in (document, document.joined()) if document else ():
            try:
                return parse(self._items, one)
            except (MismatchError, KeyError):
                continue
        return None

    def _finished(self, text: str, ending: str) -> bytes:
        text += ending
        text = text.replace(" ", "\t") if self._tabs else text
        return (text.replace("\n", "\r\n") if self._crlf else text).encode()


@lru_cache(16)  # an executor and all prompts of a task ask for the same
def learned(
    examples: tuple[bytes, ...], statement: str, limits: tuple[tuple[str, float, float], ...]
) -> InputModel:
    """:meth:`InputModel.learn`, once for the same examples."""
    known = {name: (low, high) for name, low, high in limits}
    return InputModel.learn(examples, statement=statement, limits=known)


def _document(example: bytes) -> Document | None:
    """The text that an input is, or None."""
    try:
        text = example.decode().replace("\r\n", "\n")
    except UnicodeDecodeError:
        return None
    readable = text.replace("\n", "").replace("\t", "").isprintable()
    return Document.of(text) if readable else None


def _ending(text: str) -> str:
    text = text.replace("\r\n", "\n")
    return text[len(text.rstrip("\n")) :]
