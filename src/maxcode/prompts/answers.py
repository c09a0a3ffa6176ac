"""Answers of models, read as a person would read them.

The prompt asks for a line ``Summary: ...`` and then either the whole program, each file in a fence,
or search/replace edits. Models also think aloud, quote old code, try twice, write diffs, add a
benchmark. The last program presented as the result counts; a piece of a program is none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property

from maxcode.budget import Answer, Stop
from maxcode.program import Program
from maxcode.prompts.answer_blocks import Block, left_out, read_blocks
from maxcode.prompts.answer_files import (
    LINE_END,
    Piece,
    WholeFiles,
    ended,
    equal,
    is_beside,
    label,
    leaves_folder,
    squeezed,
)
from maxcode.prompts.edits import (
    AmbiguousError,
    Edit,
    EditError,
    PathError,
    apply_edits,
    is_diff,
    read_diff,
    read_edits,
)
from maxcode.task import Task

_CUT = (
    "the answer was cut off at the token limit before the program was whole; "
    "think and explain less, or write search/replace edits"
)
_FORMATS = "write the whole program in one fence (```), or search/replace edits"


class Unusable(StrEnum):
    """Reason for an answer without a program to judge."""

    EMPTY = "empty"
    REFUSED = "refused"
    CUT_OFF = "cut-off"  # at the token limit, before the program was whole
    NO_PROGRAM = "no-program"
    PARTIAL = "partial"  # a piece of the program, or one with "... as before ..." in it
    EDIT_MISMATCH = "edit-mismatch"
    PATH = "path"  # a file that is not the program's
    UNCHANGED = "unchanged"
    TOO_LONG = "too-long"  # no prompt was short enough for the model, so there is no answer


@dataclass(frozen=True, slots=True)
class Reading:
    """The content of an answer: a program, or the reason for its absence.

    ``summary`` is the model's account of the change, in one line, or empty. ``problem`` tells the
    model its mistake and the remedy.
    """

    program: Program | None
    summary: str = ""
    problem: str = ""
    kind: Unusable | None = None


def read_answer(answer: Answer, bases: Sequence[Program], task: Task) -> Reading:
    """The program that an answer makes of ``bases[0]``, the program to improve.

    All forms are read, whichever was requested. Unmentioned files stay. Edits apply to the first of
    ``bases`` on which all apply, exactly or but for white space: the model saw them all.
    Each written text ends with a line end, and takes line ends and encoding from the file it
    replaces. Permission to change files is not checked.
    """
    text = LINE_END.sub("\n", answer.text.lstrip("\ufeff"))
    seen = [base.shown() for base in bases]
    reader = _Reader(after_thoughts(text), answer.stop, seen, task)
    try:
        program = reader.program()
        if equal(program, seen[0], ended):
            problem = "the answer is the program as it was; change something that makes it faster"
            kind = Unusable.CUT_OFF if reader.cut else Unusable.UNCHANGED
            raise _UnusableError(kind, _CUT if reader.cut else problem)
    except _UnusableError as error:
        return Reading(None, reader.summary, str(error), error.kind)
    except ValueError as error:  # Program's own: a path or a text that it cannot hold
        return Reading(None, reader.summary, str(error), Unusable.NO_PROGRAM)
    return Reading(bases[0].with_files(program.files), reader.summary)


class _UnusableError(Exception):
    def __init__(self, kind: Unusable, problem: str) -> None:
        super().__init__(problem)
        self.kind = kind


class _Reader:
    """Reader of a single answer."""

    def __init__(self, text: str, stop: Stop, bases: Sequence[Program], task: Task) -> None:
        self.text, self.stop, self.bases, self.task = text, stop, bases, task
        self.cut = stop is Stop.LENGTH

    @cached_property
    def _parts(self) -> tuple[list[Edit], list[Block], str]:
        """Edits, fenced blocks, and the prose between them."""
        edits, rest = read_edits(self.text)
        return edits, *read_blocks(rest)

    @cached_property
    def summary(self) -> str:
        try:
            return summary_in(self._parts[2])
        except EditError:
            return summary_in(self.text)

    def program(self) -> Program:
        """The program.

        Raises :class:`_UnusableError`, and ``ValueError`` for a text no program can hold.
        """
        if self.stop is Stop.REFUSED:
            raise _UnusableError(Unusable.REFUSED, "the model refused to answer")
        if not self.text.strip():
            problem = _CUT if self.cut else f"the answer is empty; {_FORMATS}"
            raise _UnusableError(Unusable.CUT_OFF if self.cut else Unusable.EMPTY, problem)
        try:
            return self._edited_or_written()
        except EditError as error:
            if self.cut:
                raise _UnusableError(Unusable.CUT_OFF, _CUT) from None
            kind = Unusable.PATH if isinstance(error, PathError) else Unusable.EDIT_MISMATCH
            raise _UnusableError(kind, str(error)) from None

    def _edited_or_written(self) -> Program:
        """The program made of edits and whole files. Raises :class:`EditError`."""
        edits, blocks, _ = self._parts
        diffs, blocks = self._diffs(blocks)
        edits = edits or diffs
        if edits:  # then a whole program that is no answer must not pass for one
            blocks = [block for block in blocks if not is_beside(block)]
        files = WholeFiles(blocks, self.cut, self.bases, self.task)
        written = files.program
        quoted = written and any(equal(written, base, squeezed) for base in self.bases)
        if edits and (written is None or quoted):
            program = self._edited(edits, self.bases)
        elif written is None:
            raise self._no_files(files.pieces)
        elif files.goes_on:
            raise _UnusableError(Unusable.CUT_OFF, _CUT)
        else:
            program = written
            if edits and not self.cut:
                with suppress(EditError):  # edits of other files, or else an illustration
                    program = self._edited(edits, [written])
        self._check_whole(program, files)
        return program

    def _diffs(self, blocks: Sequence[Block]) -> tuple[list[Edit], list[Block]]:
        """The hunks of all diffs, and the other blocks."""
        edits: list[Edit] = []
        others: list[Block] = []
        for block in blocks:
            hunks = read_diff(block.code) if is_diff(block.code, block.language) else []
            if hunks:
                path = label(block, self.bases[0].files)[0]
                edits += [hunk if hunk.path else replace(hunk, path=path) for hunk in hunks]
            else:
                others.append(block)
        return edits, others

    def _check_whole(self, program: Program, files: WholeFiles) -> None:
        """Raise for omitted code in an edit."""
        base = self.bases[0].files
        for path, text in program.files.items():
            if text == base.get(path):
                continue
            if gap := left_out(text, files.lines, self.task.language):
                raise _partial(path, gap)

    def _edited(self, edits: Sequence[Edit], programs: Sequence[Program]) -> Program:
        """The first of ``programs`` to which all edits apply, after them.

        Lines that occur several times in the first program are meant there all the same. Raises the
        :class:`EditError` of the first program.
        """
        if self.cut:
            raise _UnusableError(Unusable.CUT_OFF, _CUT)
        for program in programs:
            for tolerant in (False, True):
                try:
                    return apply_edits(program, edits, tolerant=tolerant)
                except AmbiguousError:
                    if program is programs[0]:
                        raise
                except EditError:
                    continue
        return apply_edits(programs[0], edits, tolerant=True)

    def _no_files(self, pieces: list[Piece]) -> _UnusableError:
        """Why no whole file was found."""
        if self.cut:
            return _UnusableError(Unusable.CUT_OFF, _CUT)
        for piece in reversed(pieces):
            if piece.foreign and (leaves_folder(piece.foreign) or not piece.lacks):
                listed = ", ".join(self.bases[0].files)
                problem = f"{piece.foreign} is no file of the program; its files: {listed}"
                return _UnusableError(Unusable.PATH, problem)
            if piece.gap and not piece.lacks:
                return _partial("the program", piece.gap)
        if pieces:
            lacks = next((piece.lacks for piece in reversed(pieces) if piece.lacks), "")
            return _partial("the program", "", lacks)
        return _UnusableError(Unusable.NO_PROGRAM, f"the answer holds no program; {_FORMATS}")


def _partial(what: str, gap: str, lacks: str = "") -> _UnusableError:
    """The message about an incomplete program or file."""
    problem = (
        f"{what} is not whole: {gap!r} stands for code that is left out; write all of it, or "
        "search/replace edits"
        if gap
        else f"the answer holds only a part of {what} (it lacks {lacks or 'its end'}); {_FORMATS}"
    )
    return _UnusableError(Unusable.PARTIAL, problem)


_SUMMARY = re.compile(
    r"[\s#*_>\-]*+summary\b(?: of (?:the )?changes?)?[\s*_]*+(:?)[\s*_]*+(.*)", re.IGNORECASE
)
_MAX_SUMMARY = 400
_THOUGHT = re.compile(r"^(?![ \t]*+(?://|#|/\*)).*</think>", re.MULTILINE)  # in no comment


def after_thoughts(text: str) -> str:
    """The text after a model's thoughts; nothing if it never stops thinking."""
    *_, end = [0, *(found.end() for found in _THOUGHT.finditer(text))]
    return "" if not end and text.lstrip().startswith("<think>") else text[end:]


def summary_in(prose: str) -> str:
    """The paragraph after "Summary:", or after that heading, in one line."""
    lines = prose.split("\n")
    for number, line in enumerate(lines):
        found = _SUMMARY.fullmatch(line[: 4 * _MAX_SUMMARY])
        if not found or not (found[1] or line.lstrip().startswith(("#", "*"))):
            continue
        words: list[str] = []
        for text in [found[2], *lines[number + 1 :]]:
            over = not text.strip() or text.startswith(("<", "#")) or len(words) > 100
            if words and over:
                break
            words += text[:_MAX_SUMMARY].split()
        return " ".join(words).strip("*_ ")[:_MAX_SUMMARY]
    return ""
