"""CppTask: a C++ program with tests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from maxcode.errors import TaskError
from maxcode.task import Task
from maxcode.tasks.checkers import Checker

DEFAULT_FLAGS = ("-O3", "-std=c++17")


@dataclass(frozen=True, slots=True)
class TestCase:
    """One input on standard input and the output it must lead to."""

    __test__ = False  # a test of the user's program, not of ours

    name: str
    input: bytes
    expected: bytes


@dataclass(frozen=True, slots=True)
class Judging:
    """How a C++ program is built, run and measured.

    ``flags`` go to g++; ``build_timeout`` and ``timeout`` (of each test) are in seconds,
    ``memory`` is bytes of address space, and ``meter`` names what is to become smaller. With
    ``sanitize`` a program that passes must also pass a build with g++'s address and
    undefined-behaviour sanitizers, so that none is right by luck.
    """

    flags: tuple[str, ...] = DEFAULT_FLAGS
    build_timeout: float = 60.0
    timeout: float = 10.0
    memory: int = 1 << 30
    meter: str = "cpu"
    checker: Checker = Checker()
    sanitize: bool = False

    def __post_init__(self) -> None:
        for name in ("build_timeout", "timeout"):  # 10 and 10.0 are the same in a digest too
            object.__setattr__(self, name, float(getattr(self, name)))


@dataclass(frozen=True)
class CppTask(Task):
    """Make a C++ program faster that reads standard input and writes standard output.

    ``tests`` decide what is correct and are what is timed. Raises
    :class:`~maxcode.errors.TaskError` without any.
    """

    language: str = "c++"
    tests: tuple[TestCase, ...] = ()
    judging: Judging = Judging()

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.tests:
            raise TaskError(f"task {self.name!r} has no tests: nothing says what is correct")

    def content(self) -> Iterator[bytes]:
        """The task's own parts, its tests, and how it is judged."""
        yield from super().content()
        yield repr(self.judging).encode()
        for test in self.tests:
            yield from (test.name.encode(), test.input, test.expected)
