"""Profile of a kernel, from its process's checked report, and the baselines for comparison."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from maxcode.evaluation import (
    ROOFLINE_TOLERANCE,
    HotFunction,
    Interval,
    Measurement,
    Profile,
    Roofline,
    Status,
)
from maxcode.executors.kernel.candidate import Candidate, KernelFailedError
from maxcode.executors.kernel.resources import kernel_text, kernel_uses, plain
from maxcode.executors.kernel.worker.messages import ProfileRow
from maxcode.program import Program
from maxcode.tasks.kernel import ENTRY, KernelTask
from maxcode.text import duration, percent, size

INPUTS = 3
"""Number of inputs a kernel is profiled with."""
_MIN_SHARE = 0.005  # of a row that is kept
_MAX_ROWS, _SHOWN = 24, 10
_MOST_ROWS = 64  # of a report


def profile(candidate: Candidate, seed: int, roof: Roofline) -> Profile:
    """Profile a candidate on the inputs it was given. Raises :class:`KernelFailedError`."""
    report = candidate.profile(seed)
    rows, total = report.rows[:_MOST_ROWS], sum(row.alone for row in report.rows)
    numbers = [report.microseconds, report.launches, report.allocated]
    numbers += [number for row in rows for number in (row.alone, row.total, row.calls)]
    if total <= 0 or min(numbers) < 0:
        raise KernelFailedError(Status.SUSPECT, "its process reports an impossible profile")
    found = Profile(
        "",
        functions=tuple(_functions(rows, total)),
        seconds=report.microseconds / 1e6,
        launches=round(report.launches),
        allocated=report.allocated,
        kernels=tuple(kernel_uses(candidate.extensions.resources)),
        roofline=roof,
    )
    return replace(found, text="\n".join(_lines(found)))


def _functions(rows: Sequence[ProfileRow], total: float) -> Iterator[HotFunction]:
    """Functions with their shares of the total, computed here from the rows' own times."""
    ranked = sorted(rows, key=lambda row: (-row.alone, row.name))
    kept = (row for row in ranked if max(row.alone, row.total) >= _MIN_SHARE * total)
    for row in islice(kept, _MAX_ROWS):
        inclusive = min(1.0, max(row.alone, row.total) / total)
        calls = max(1, round(row.calls))
        yield HotFunction(plain(row.name), row.alone / total, inclusive, calls, row.own)


def _lines(found: Profile) -> Iterator[str]:
    """The short form: at most 30 lines."""
    yield (
        f"by what its process says of itself, a call: {(found.seconds or 0) * 1e3:.3g} ms with the "
        f"profiler, which slows it down, {found.launches} operators or kernels started by forward, "
        f"{size(round(found.allocated or 0))} allocated"
    )
    if found.roofline is not None:
        yield roofline_text(found.roofline)
    yield ""
    yield " self  total  calls  operator, extension's function or kernel"
    for one in found.functions[:_SHOWN]:
        own = " (the program's own)" if one.own else ""
        shares = f"{100 * one.share:>3.0f} %  {100 * one.inclusive:>3.0f} %"
        yield f"{shares}  {one.calls:>5,}  {one.name}{own}"
    if found.kernels:
        yield ""
        yield from map(kernel_text, found.kernels)


# Baselines of a kernel.


@dataclass(frozen=True, slots=True)
class Baselines:
    """Baselines besides the eager reference: the speed of light, and torch.compile if asked for."""

    roof: Roofline
    compiled: CompileBaseline | None = None

    @property
    def measurements(self) -> tuple[Measurement, ...]:
        """Baselines in seconds of a call."""
        light = Measurement("speed of light", "s", (self.roof.seconds,))
        samples = self.compiled.samples if self.compiled else None
        return (light, samples) if samples else (light,)

    def describe_reference(self, seconds: float) -> str:
        """Text about a reference whose call takes ``seconds``."""
        text = reached(self.roof, seconds)
        return f"{text}; {self.compiled}" if self.compiled else text

    def describe_candidate(self, ratio: Interval, seconds: float) -> str:
        """Text about a candidate; ``ratio`` is against the eager reference."""
        text = f"{ratio} against the reference"
        if self.compiled is not None and self.compiled.ratio is not None:
            text += f", {ratio.value / self.compiled.ratio.value:.2f}x against torch.compile"
        return f"{text}; {reached(self.roof, seconds)}"


@dataclass(frozen=True, slots=True)
class CompileBaseline:
    """Speedup of the reference by torch.compile, or the problem that prevented it."""

    ratio: Interval | None
    samples: Measurement | None = None
    problem: str = ""

    def __str__(self) -> str:
        if self.ratio is not None:
            return f"torch.compile makes it {self.ratio} as fast"
        first, *others = (line.strip() for line in self.problem.strip().splitlines())
        errors = [line[-200:] for line in others if "error:" in line]  # as compilers mark them
        return f"no baseline by torch.compile: {' '.join([first[:200], *errors[:1]])}"


def compiled_program(task: KernelTask) -> Program:
    """The task's own module, compiled at its first call."""
    return Program.of(f"{task.baseline.code}\n{_COMPILED_AT_FIRST_CALL}", ENTRY)


_COMPILED_AT_FIRST_CALL = """\
import os

os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"


def _compiling(construct):
    def constructed(self, *arguments, **named):
        construct(self, *arguments, **named)
        self.compile()

    return constructed


ModelNew.__init__ = _compiling(ModelNew.__init__)
"""


def roofline_text(roof: Roofline) -> str:
    """Text of a roofline: bytes and operations of the reference, bandwidth and peak."""
    return (
        f"speed of light {duration(roof.seconds)} a call, bound by {roof.bound}: "
        f"{size(roof.moved)} of inputs, weights and outputs at {size(round(roof.bandwidth))}/s, "
        f"{roof.operations:.3g} flop at {roof.peak:.3g} flop/s in {roof.dtype}, "
        f"{roof.intensity:.2g} operations a byte"
    )


def reached(roof: Roofline, seconds: float) -> str:
    """Text of the share of the speed of light reached by a call."""
    share = roof.share(seconds)
    if share > ROOFLINE_TOLERANCE:
        return (
            f"{percent(share)} of the speed of light of the reference's computation: it does "
            "with fewer operations or less data, or computes in narrower numbers"
        )
    return f"{percent(share)} of the speed of light (bound by {roof.bound})"
