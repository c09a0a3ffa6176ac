"""What torch.compile makes of a reference: judged as a candidate, in a process of its own."""

from __future__ import annotations

from dataclasses import dataclass

from maxcode.evaluation import Interval, Measurement
from maxcode.program import Program
from maxcode.tasks.kernel import ENTRY, KernelTask

_COMPILING = """

def _compiling(construct):
    def constructed(self, *arguments, **named):
        construct(self, *arguments, **named)
        self.compile()

    return constructed


ModelNew.__init__ = _compiling(ModelNew.__init__)
"""
_SETTING = 'import os\n\nos.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"\n'


@dataclass(frozen=True, slots=True)
class Compiled:
    """How many times faster the reference is by torch.compile, or why that is not known."""

    ratio: Interval | None
    samples: Measurement | None = None
    problem: str = ""

    def __str__(self) -> str:
        if self.ratio is None:
            return f"no baseline by torch.compile: {_shortened(self.problem)}"
        return f"torch.compile makes it {self.ratio} as fast"


def compiled_program(task: KernelTask) -> Program:
    """The task's own module, compiled at its first call."""
    code = task.baseline.code
    return Program.of(f"{code}\n{_SETTING}{_COMPILING}", ENTRY)


def _shortened(problem: str) -> str:
    """The first line, and the first that a compiler calls an error."""
    lines = [line.strip() for line in problem.splitlines() if line.strip()]
    errors = [line for line in lines[1:] if "error:" in line]
    return " ".join(line[-200:] for line in [*lines[:1], *errors[:1]])
