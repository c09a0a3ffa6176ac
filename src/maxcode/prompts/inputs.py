"""What the inputs of a C++ task look like: their form with ranges, the beginning of one, a test."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from maxcode.errors import InputError
from maxcode.fuzz.inputs import InputModel
from maxcode.tasks.cpp import CppTask, TestCase
from maxcode.text import counted, plain

_READ = 32 << 10  # bytes of inputs that the form is learned from
_LINES, _CHARACTERS = 8, 320
_WHOLE = 2000  # bytes that a test has at most which is shown with its output


@dataclass(frozen=True, slots=True)
class ShownInputs:
    """The form of the inputs in words, ``of`` which tests, and the beginning of one of them.

    ``form`` is empty where none was found, and ``sample`` where the inputs are no text.
    """

    form: str
    of: str
    sample: str
    name: str
    whole: bool


def shown_inputs(task: CppTask) -> ShownInputs | None:
    """What to show of the inputs of a task; None where nothing can be said of them."""
    found = _shown(tuple((test.name, test.input) for test in task.tests))
    return found if found and (found.form or found.sample) else None


@dataclass(frozen=True, slots=True)
class ShownTest:
    """A test: its input, and the output that is expected."""

    input: str
    expected: str


def shown_test(task: CppTask) -> ShownTest | None:
    """The smallest test; None where that is no text, or too long to be shown whole."""
    test = min(task.tests, key=lambda one: len(one.input) + len(one.expected), default=None)
    if test is None or _size(test) > _WHOLE or len(test.expected) > _WHOLE:
        return None
    try:
        return ShownTest(plain(test.input.decode()), plain(test.expected.decode()))
    except UnicodeDecodeError:
        return None


@lru_cache(16)  # a task's are in every prompt
def _shown(tests: tuple[tuple[str, bytes], ...]) -> ShownInputs | None:
    known = sorted((TestCase(name, data, b"") for name, data in tests), key=_size)
    if not known:
        return None
    read = [test.input for test in known[:1] if _size(test) <= _READ]
    for test in known[1:]:
        if sum(map(len, read)) + _size(test) <= _READ:
            read.append(test.input)
    form = ""
    if read:
        try:
            form = InputModel.learn(read).describe()
        except InputError:
            form = ""
        form = "" if form.startswith("inputs of no known structure") else form
    largest = known[-1]
    sample = _beginning(largest.input)
    of = f"as in {len(read)} of the {counted(len(known), 'test')}" if len(read) < len(known) else ""
    return ShownInputs(form[:2000], of, sample, largest.name, len(sample) == _size(largest))


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
