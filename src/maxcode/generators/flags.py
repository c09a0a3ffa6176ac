"""FlagsGenerator: proposes compiler flags for a project; needs no model and no key."""

from __future__ import annotations

from maxcode.errors import GeneratorError
from maxcode.interfaces import Generator, Proposal
from maxcode.observation import Observation
from maxcode.program import Program
from maxcode.tasks.project import FLAGS_FILE

_SETS = (
    "-O3 -march=native",
    "-O3",
    "-O3 -march=native -flto",
    "-O2 -flto",
    "-O2 -march=native",
    "-O3 -march=native -flto -funroll-loops",
    "-O3 -fno-semantic-interposition",
    "-O3 -march=native -fipa-pta",
    "-O3 -funroll-loops",
    "-O3 -fno-plt -fomit-frame-pointer",
)
"""Sets of flags that preserve what a program means, the most promising first."""


class FlagsGenerator(Generator):
    """Proposes sets of flags for the best program it is shown, each once.

    The flags are a file of the program, which the project's executor adds to each compilation and
    link. The sets are of GCC and Clang, and change no result of floating-point arithmetic but by
    fused operations that the processor has. With nothing left it proposes nothing.
    """

    trusted = True

    def propose(self, observation: Observation, n: int) -> list[Proposal]:
        """Up to ``n`` that were not seen before.

        Raises :class:`~maxcode.errors.GeneratorError` for a task whose program has no flags.
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
        for flags in _SETS:
            program = _with(step.program, [*own, *flags.split()])
            if len(proposals) < n and program not in known and program not in observation.seen:
                known.add(program)
                proposals.append(Proposal(program, f"flags {flags}", ("flags", flags)))
        return proposals


def _with(program: Program, flags: list[str]) -> Program:
    return program.with_file(FLAGS_FILE, " ".join(dict.fromkeys(flags)) + "\n")
