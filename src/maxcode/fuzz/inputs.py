"""InputModel: what the given inputs of a program look like, and further ones of that kind."""

from __future__ import annotations

import random
from collections.abc import Sequence
from time import monotonic
from typing import TYPE_CHECKING

from maxcode.errors import InputError
from maxcode.fuzz.describing import describe
from maxcode.fuzz.drawing import MAX_SIZE, Drawing, Source, TooLargeError, draw_plan
from maxcode.fuzz.fields import Facts, learn_facts, within_facts
from maxcode.fuzz.search import find_structure
from maxcode.fuzz.sizing import Wanted, resized
from maxcode.fuzz.structure import Document, Items, MismatchError, parse

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

_SECONDS = 15.0  # that are spent on a structure, on the largest examples


class InputModel:
    """What the given inputs of a program look like.

    Made by :meth:`learn`. Where no structure is found that all examples share, new inputs are the
    examples with small changes.
    """

    def __init__(
        self,
        examples: Sequence[bytes],
        items: Items | None,
        facts: Facts,
        *,
        given_up: float | None = None,
    ) -> None:
        self._examples = tuple(examples)
        self._items = items
        self._facts = facts
        self._given_up = given_up
        texts = [example.decode("latin-1") for example in examples]
        self._crlf = bool(texts) and all("\r\n" in text for text in texts)
        self._endings = tuple(sorted({_ending(text) for text in texts})) or ("\n",)

    @classmethod
    def learn(cls, examples: Sequence[bytes], seconds: float = _SECONDS) -> InputModel:
        """The model of ``examples``; raises :class:`~maxcode.errors.InputError` if there are none.

        Large examples whose lines differ in kind may be read in many ways: the search for a
        structure ends after about so many ``seconds`` with the best found by then.

        A structure has to read every example. The simplest is taken: counts that say how many
        values or lines follow, rows, tables, test cases, lines up to a last one.
        """
        if not examples:
            raise InputError("no inputs were given; without them no further ones can be made")
        documents = []
        for example in examples:
            document = _document(example)
            if document is None:
                return cls(examples, None, Facts({}, {}))
            documents.append(document)
        until = monotonic() + seconds
        items = find_structure(documents, until)
        if items is None:
            given_up = seconds if monotonic() > until else None
            return cls(examples, None, Facts({}, {}), given_up=given_up)
        try:
            return cls(examples, items, learn_facts(items, documents))
        except MismatchError:  # values of one line, spread over several
            joined = [document.joined() for document in documents]
            return cls(examples, items, learn_facts(items, joined))

    def describe(self) -> str:
        """What was learned, in a few words."""
        if self._items is None:
            why = f", given up after {self._given_up:g} s" if self._given_up is not None else ""
            return f"inputs of no known structure{why}: the examples with small changes"
        return describe(self._items, self._facts)

    def strategy(self, scale: float = 1.0) -> SearchStrategy[bytes]:
        """New inputs: most within what the examples show, some at its edges, some beyond.

        ``scale`` says how far beyond: at 0 nothing is. Inputs have at most 64 KiB.
        """
        # Hypothesis takes long to import
        from maxcode.fuzz.strategy import mutated, strategy_of  # noqa: PLC0415

        if self._items is None:
            return mutated(self._examples)
        items = self._items

        def draw(source: Source) -> bytes:
            plan = draw_plan(source, scale)
            text = Drawing(items, self._facts, source, plan).text()
            data = self._finished(text, source.pick(self._endings))
            if len(data) > MAX_SIZE:  # cut short it would lack what its counts announce
                raise TooLargeError
            return data

        return strategy_of(draw)

    def like(
        self,
        example: bytes,
        *,
        seed: int,
        factor: float = 1.0,
        distinct: bool = False,
        wide: bool = False,
    ) -> bytes:
        """A fresh input of the size and the distribution of values of ``example``.

        Its counts are those of the example, so that its size grows by ``factor``; ``distinct``
        makes values differ where the example's may repeat, and ``wide`` has single numbers be
        anywhere between those of all examples. The same ``seed`` gives the same input.
        Raises :class:`~maxcode.errors.InputError` for an example that does not have the structure
        learned, or if none was.
        """
        if self._items is None:
            raise InputError("the inputs have no known structure, so none of the same size is made")
        document = _document(example)
        try:
            if document is None:
                raise MismatchError
            read = parse(self._items, document)
        except MismatchError:
            try:
                joined = None if document is None else document.joined()
                if joined is None:
                    raise MismatchError
                read = parse(self._items, joined)
            except MismatchError:
                raise InputError("the example does not have the structure of the others") from None
        wanted = Wanted(random.Random(seed), factor, distinct, wide)
        text = resized(self._items, self._facts, read, wanted)
        return self._finished(text, _ending(example.decode("latin-1")))

    def within(self, data: bytes) -> bool:
        """Whether an input has the structure of the examples and values in their ranges."""
        document = _document(data)
        if self._items is None or document is None:
            return data in self._examples
        try:
            read = parse(self._items, document)
        except MismatchError:
            return False
        return within_facts(self._items, self._facts, read)

    def _finished(self, text: str, ending: str) -> bytes:
        text += ending
        return (text.replace("\n", "\r\n") if self._crlf else text).encode()


def _document(example: bytes) -> Document | None:
    """The text that an input is, or None."""
    try:
        text = example.decode().replace("\r\n", "\n")
    except UnicodeDecodeError:
        return None
    readable = all(letter in "\n\t" or letter.isprintable() for letter in text)
    return Document.of(text) if readable else None


def _ending(text: str) -> str:
    text = text.replace("\r\n", "\n")
    return text[len(text.rstrip("\n")) :]
