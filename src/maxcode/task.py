"""Task: a program to be made faster."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from maxcode.errors import TaskError
from maxcode.program import Program


@dataclass(frozen=True)
class Task:
    """A problem with a correct but slow solution.

    Concrete kinds (a C++ program with tests, a kernel against a reference) subclass this and add
    the data their executor judges candidates by. ``editable`` names the files of the baseline open
    to change; empty means all of them. ``language`` is the field's lower-case name ("c++",
    "python") for prompts and highlighting.

    A kind also sets ``executor``, the judge of its candidates: a name in the entry-point group
    ``maxcode.executors``, or ``package.module:Class``. ``prompts`` is the folder of its templates.
    """

    executor: ClassVar[str] = ""
    prompts: ClassVar[str] = "any"

    name: str
    statement: str
    baseline: Program
    editable: tuple[str, ...] = ()
    language: str = ""

    def __post_init__(self) -> None:
        unknown = [path for path in self.editable if path not in self.baseline.files]
        if unknown:
            raise TaskError(
                f"task {self.name!r}: editable files {unknown} are not part of the program "
                f"({sorted(self.baseline.files)})"
            )

    @cached_property
    def digest(self) -> str:
        """Content hash of all data deciding a verdict; a run resumes only on the same digest."""
        content = hashlib.sha256()
        for part in self.content():
            content.update(len(part).to_bytes(8, "big"))
            content.update(part)
        return content.hexdigest()

    def content(self) -> Iterator[bytes]:
        """The parts of the digest. Kinds that add to a task extend this."""
        parts = (self.name, self.statement, self.baseline.digest, *self.editable, self.language)
        yield from (part.encode() for part in parts)

    def forbidden_changes(self, program: Program) -> list[str]:
        """Files changed, added or removed by ``program`` without permission."""
        allowed = set(self.editable or self.baseline.files)
        return [path for path in self.baseline.changed(program) if path not in allowed]

    def refusal(self, program: Program) -> str:
        """Feedback for a program with forbidden changes; empty for any other."""
        forbidden = ", ".join(self.forbidden_changes(program))
        return forbidden and f"these files may not be changed, added or removed: {forbidden}"
