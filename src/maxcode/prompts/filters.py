"""What templates can do with values."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import PurePosixPath
from types import MappingProxyType

from maxcode.program import Program
from maxcode.task import Task

_TAGS = MappingProxyType({"c++": "cpp", ".h": "cpp", ".hpp": "cpp", ".cpp": "cpp", ".py": "python"})


def fenced(text: str, language: str = "") -> str:
    """A text in a fence that is longer than any run of backticks in it."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    ending = "" if text.endswith("\n") else "\n"
    return f"{fence}{tag(language)}\n{text}{ending}{fence}"


def tag(language: str) -> str:
    """What a fence calls a language, given our name for it or the suffix of a file."""
    return _TAGS.get(language, language)


def code(program: Program, task: Task) -> str:
    """The files of a program in fences, each after its path if there are several.

    Files that no candidate may change are only shown of the baseline.
    """
    paths = list(program.files)
    if program != task.baseline and task.editable:
        paths = [path for path in paths if path in task.editable]
    if len(program.files) == 1:
        return fenced(program.code, tag(task.language))
    return "\n\n".join(f"{path}\n{fenced(program.files[path], _tag_of(path))}" for path in paths)


def _tag_of(path: str) -> str:
    suffix = PurePosixPath(path).suffix
    return _TAGS.get(suffix, suffix.removeprefix("."))


def attempt(step_id: int | None) -> str:
    """What a step is called."""
    return f"attempt {step_id}" if step_id else "the baseline"


def attempts(step_ids: Sequence[int]) -> str:
    """What several steps are called, given their ids ascending: ``attempts 3, 5-9``."""
    runs: list[list[int]] = []
    for one in step_ids:
        if runs and one == runs[-1][-1] + 1:
            runs[-1].append(one)
        else:
            runs.append([one])
    said = [f"{run[0]}-{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs]
    return f"attempt{'' if len(step_ids) == 1 else 's'} {', '.join(said)}"


def counted(number: int, noun: str) -> str:
    """``3 tests``, ``1 test``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def size(number: float) -> str:
    """Bytes with three digits and a unit."""
    for unit in ("B", "kB", "MB"):
        if number < 999.5:
            return f"{number:.3g} {unit}"
        number /= 1000
    return f"{number:.3g} GB"


def sizes(numbers: Sequence[int]) -> str:
    """From the smallest to the largest."""
    least, most = size(min(numbers)), size(max(numbers))
    return least if least == most else f"{least} to {most}"


def times(speedup: float) -> str:
    """A speedup."""
    return f"{speedup:.2f}x"


def line(text: str, most: int = 400) -> str:
    """A text as one line, cut where it is long."""
    return clipped(" ".join(text.split()), most)


def clipped(text: str, most: int) -> str:
    """The text without trailing blanks, or its beginning with a note of how much was cut."""
    text = text.rstrip()
    if len(text) <= most:
        return text
    return f"{text[:most]} [... {len(text) - most:,} more characters]"


FILTERS: MappingProxyType[str, Callable[..., str]] = MappingProxyType(
    {
        one.__name__: one
        for one in (
            attempt,
            attempts,
            clipped,
            code,
            counted,
            fenced,
            line,
            size,
            sizes,
            tag,
            times,
        )
    }
)
