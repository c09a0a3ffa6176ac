"""Python: programs run by an interpreter of this machine, with its packages."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from pydantic import BaseModel, NonNegativeInt

from maxcode.evaluation import HotFunction, Profile
from maxcode.program import Program
from maxcode.sandbox.base import Completed
from maxcode.toolchain.base import Asked, Command, Interpreted, outside_system, says
from maxcode.toolchain.profiling import MAX_NAME, Line, Profiled, profile_of, relative

_ABOUT = (
    "import json, platform, sys; print(json.dumps("
    "[platform.python_implementation() + ' ' + platform.python_version(), sys.base_prefix, "
    "sys.prefix, *sys.path]))"
)
_CHECK = (
    "import sys\n"
    "for path in sys.argv[1:]:\n"
    "    try: compile(open(path, 'rb').read(), path, 'exec', dont_inherit=True)\n"
    "    except (SyntaxError, ValueError) as error:\n"
    "        place = f', line {error.lineno}' if isinstance(error, SyntaxError) else ''\n"
    "        name = path.removeprefix(sys.argv[1].rpartition('/')[0] + '/')\n"
    "        sys.exit(f'{name}{place}: {type(error).__name__}: {error}')\n"
)
_TRACER = Path(__file__).with_name("tracer.py")
_STRICT = ("-E", "-s", "-B")  # no variables, no packages of the user, no compiled files beside


class _Report(BaseModel):
    """Output of the tracer: times in nanoseconds."""

    lines: list[tuple[str, int, str, NonNegativeInt]]
    functions: list[tuple[str, str, NonNegativeInt, NonNegativeInt, int]]


class Python(Interpreted, Profiled):
    """The interpreter that runs maxcode, with its packages readable."""

    _interpreter = Path(sys.executable)

    @cached_property
    def _about(self) -> list[str]:
        found: list[str] = json.loads(says(str(self._interpreter), "-I", "-c", _ABOUT))
        return found

    @property
    def release(self) -> str:
        """The interpreter's name and version."""
        return self._about[0]

    @cached_property
    def readable(self) -> tuple[Path, ...]:
        """The interpreter, its library and its packages, besides the system's.

        Other folders that it searches, such as a package under development, are not shown: expected
        outputs may lie in them.
        """
        _, base, prefix, *path = self._about
        packages = [one for one in path if Path(one).is_relative_to(prefix)]
        listed = (str(self._interpreter), f"{prefix}/pyvenv.cfg", f"{base}/lib", *packages)
        own = [Path(one) for one in listed]
        kept = [one for one in own if one.exists() and outside_system(one)]
        return tuple(one for one in kept if not set(one.parents) & set(kept))

    def command(self, built: Path, flags: Sequence[str]) -> Command:
        """The interpreter with the flags, on the entry file."""
        words = (str(self._interpreter), *_STRICT, *flags, str(built))
        return Command(words, (built.parent, *self.readable))

    def profiling(self, built: Path, flags: Sequence[str]) -> Command:
        """The interpreter on a tracer of ours, which runs the program."""
        plain = self.command(built, flags)
        words = (*plain.words[:-1], str(_TRACER), str(built))
        return replace(plain, words=words, read=(*plain.read, _TRACER))

    def costs(self, output: bytes, folder: Path, program: Program) -> Profile:
        """See :meth:`~maxcode.toolchain.profiling.Profiled.costs`."""
        report = _Report.model_validate_json(output)
        total = max(sum(spent for *_, spent in report.lines), 1)
        lines, own = Counter[Line](), Counter[tuple[str, str]]()
        for path, line, name, spent in report.lines:
            lines[relative(path, folder), line, name] += spent
            own[path, name] += spent
        functions = [
            HotFunction(
                name[:MAX_NAME],
                own[path, name] / total,
                min(spent / total, 1.0),
                calls,
                own=True,
                recursive=bool(recursive),
            )
            for path, name, spent, calls, recursive in report.functions
        ]
        return profile_of(program, lines, functions)

    def _made(self, asked: Asked) -> Completed:
        paths = [str(asked.source / path) for path in self._sources(asked.program)]
        command = [str(self._interpreter), "-I", "-c", _CHECK, *paths]
        return self._execute(command, (asked.source, *self.readable), asked.how)
