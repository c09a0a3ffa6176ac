"""Inputs of a program as shown to models: form with ranges, a beginning, a test."""

from __future__ import annotations

from dataclasses import dataclass

from maxcode.errors import InputError
from maxcode.fuzz.inputs import learned
from maxcode.tasks.program import ProgramTask, TestCase
from maxcode.text import plain

_FORM = 2000  # characters of the form
_LINES, _CHARACTERS = 8, 320
_WHOLE = 2000  # bytes that a test has at most which is shown with its output


@dataclass(frozen=True, slots=True)
class ShownInputs:
    """The form of the inputs in words, and the beginning of the largest test.

    ``form`` is empty if unknown, and ``sample`` for binary inputs. ``strict``: programs have to be
    right beyond the form, too.
    """

    form: str
    sample: str
    name: str
    whole: bool
    strict: bool


def shown_inputs(task: ProgramTask) -> ShownInputs | None:
    """The shown inputs of a task; None where their form is unknown."""
    known = sorted(task.tests, key=_size)
    try:
        model = learned(tuple(test.input for test in task.tests), task.statement, task.limits)
    except InputError:  # limits that do not fit, which is said when the task is prepared
        return None
    form = model.describe() if model.known else ""
    sample = _beginning(known[-1].input)
    if not form and not sample:
        return None
    whole = len(sample) == _size(known[-1])
    return ShownInputs(form[:_FORM], sample, known[-1].name, whole, task.strict)


def shown_test(task: ProgramTask) -> dict[str, str] | None:
    """Input and output of the smallest test; None if binary, or too long to be shown whole."""
    test = min(task.tests, key=lambda one: len(one.input) + len(one.expected), default=None)
    if test is None or _size(test) > _WHOLE or len(test.expected) > _WHOLE:
        return None
    try:
        texts = {"input": test.input, "expected": test.expected}
        return {name: plain(data.decode()) for name, data in texts.items()}
    except UnicodeDecodeError:
        return None


def _size(test: TestCase) -> int:
    return len(test.input)


def _beginning(data: bytes) -> str:
    """The first lines of a text; nothing of other data."""
    try:
        text = data[: 4 * _CHARACTERS].decode("utf-8", "strict" if len(data) < 100 else "ignore")
    except UnicodeDecodeError:
        return ""
    if not all(letter in "\r\n\t" or letter.isprintable() for letter in text):
        return ""
    return "".join(text.splitlines(keepends=True)[:_LINES])[:_CHARACTERS]
