"""FlagsGenerator: proposes compiler flags for a project; needs no model and no key."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from maxcode.errors import GeneratorError
from maxcode.interfaces import Generator, Proposal
from maxcode.observation import Observation
from maxcode.program import Program
from maxcode.tasks.project import FLAGS_FILE, TRAINED

ALLOCATORS = ("jemalloc", "mimalloc", "tcmalloc", "tcmalloc_minimal")
"""Replacements of malloc, by their names for the linker."""

_LIBRARIES = ("/usr/lib", "/usr/lib64", "/usr/local/lib")
_SETS = (
    "-O3 -march=native",
    "-O3",
    "-O3 -march=native -flto",
    f"-O2 {TRAINED}",
    "-O2 -flto",
    "-O2 -march=native",
    f"-O3 -march=native -flto {TRAINED}",
    "-O3 -march=native -flto -funroll-loops",
    "-O3 -fno-semantic-interposition",
    "-O3 -march=native -fipa-pta",
    "-O3 -funroll-loops",
    "-O3 -fno-plt -fomit-frame-pointer",
)
"""Sets of flags that preserve a program's meaning, the most promising first."""

_FIRST = 4  # sets that are tried before allocators


def installed_allocators() -> list[str]:
    """The :data:`ALLOCATORS` a compiler of this system can link."""
    folders = [
        one for place in _LIBRARIES for one in (Path(place), *Path(place).glob("*-linux-gnu"))
    ]
    return [name for name in ALLOCATORS if any((one / f"lib{name}.so").exists() for one in folders)]


class FlagsGenerator(Generator):
    """Proposes sets of flags for the best program shown, each once.

    The flags are a file of the program; the project's executor adds them to each compilation and
    link. The sets are of GCC and Clang, and change no result of floating-point arithmetic but by
    the processor's fused operations. Sets with ``-fprofile-use`` are GCC's alone: the project is
    built with counters, its benchmark is run, and the counts guide the next build. ``allocators``
    are linked in the place of malloc; None stands for all installed :data:`ALLOCATORS`. With
    nothing left it proposes nothing.
    """

    trusted = True

    def __init__(self, allocators: Sequence[str] | None = None) -> None:
        self.allocators = tuple(installed_allocators() if allocators is None else allocators)

    def propose(self, observation: Observation, n: int) -> list[Proposal]:
        """Up to ``n`` new sets.

        Raises :class:`~maxcode.errors.GeneratorError` for a task without flags.
        """
        task, step = observation.task, observation.step
        if FLAGS_FILE not in task.baseline.files:
            raise GeneratorError(
                f"task {task.name!r} has no compiler flags to set; a project that is compiled "
                'gets them by a line flags = "" in [commands] of its task.toml'
            )
        if observation.best is not None and observation.best.reward > step.reward:
            step = observation.best
        own = task.baseline.files[FLAGS_FILE].split()
        known = {task.baseline, observation.step.program}
        proposals: list[Proposal] = []
        linked = [f"-l{name}" for name in self.allocators]
        for flags in (*_SETS[:_FIRST], *linked, *_SETS[_FIRST:]):
            program = _with(step.program, [*own, *flags.split()])
            if len(proposals) < n and program not in known and program not in observation.seen:
                known.add(program)
                proposals.append(Proposal(program, f"flags {flags}", ("flags", flags)))
        return proposals


def _with(program: Program, flags: list[str]) -> Program:
    return program.with_file(FLAGS_FILE, " ".join(dict.fromkeys(flags)) + "\n")
