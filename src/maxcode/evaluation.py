"""The results of judging a program: outcome, measurements, comparisons, profile, critique."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from math import isfinite
from statistics import median

from maxcode.budget import FREE, Cost

_FEW = 20  # inputs: a wrong program may well agree on fewer
_LITTLE = 0.05  # share of a reading


class Status(StrEnum):
    """Outcome of judging a candidate. Only ``OK`` carries a speedup."""

    OK = "ok"
    """It is correct, and was timed."""

    INVALID = "invalid"
    """The answer held no program that may be run."""

    BUILD_ERROR = "build_error"
    """It does not compile, or cannot be loaded."""

    WRONG_ANSWER = "wrong_answer"
    """An output is not the expected one."""

    RUNTIME_ERROR = "runtime_error"
    """It crashed, or ended with an error."""

    TIMEOUT = "timeout"
    """It took longer than the task allows."""

    OUT_OF_MEMORY = "out_of_memory"
    """It needed more memory than the task allows."""

    SUSPECT = "suspect"
    """It is right and fast, but in a way no honest program can be."""

    INFRASTRUCTURE = "infrastructure"
    """The harness failed, not the candidate: the search tries again."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A ratio with its confidence interval; ``level`` is the probability of coverage.

    ``value`` is the estimate, ``low`` and ``high`` are the bounds; a speedup of 2.0 is twice as
    fast. Raises ValueError unless 0 <= low <= value <= high < infinity and 0 < level < 1.
    """

    value: float
    low: float
    high: float
    level: float = 0.95

    def __post_init__(self) -> None:
        if not (isfinite(self.high) and 0 <= self.low <= self.value <= self.high):
            raise ValueError(f"not an interval: {self.low} <= {self.value} <= {self.high}")
        if not 0 < self.level < 1:
            raise ValueError(f"a confidence level lies between 0 and 1, not at {self.level}")

    def __str__(self) -> str:
        return f"{self.value:.2f}x [{self.low:.2f}, {self.high:.2f}]"

    def faster(self, min_gain: float = 0.0) -> bool:
        """Whether it shows a speedup: the whole interval above 1, the value above 1 + min_gain."""
        return self.low > 1 and self.value >= 1 + min_gain


@dataclass(frozen=True, slots=True)
class Measurement:
    """Raw samples of one meter, in the order in which they were taken.

    ``meter`` names the measured quantity, such as "cpu", and ``unit`` its unit. Raises ValueError
    for no samples, and for a negative or infinite sample.
    """

    meter: str
    unit: str
    samples: tuple[float, ...]

    def __post_init__(self) -> None:
        if not self.samples or not all(isfinite(s) and s >= 0 for s in self.samples):
            raise ValueError(f"{self.meter}: samples must be finite and >= 0: {self.samples}")

    @property
    def median(self) -> float:
        """Median of the samples, in ``unit``."""
        return median(self.samples)


@dataclass(frozen=True, slots=True)
class TimedTest:
    """A test of the task on which two programs were timed in turn, by the meter of the reward.

    ``first`` and ``second`` are medians in ``unit``; a ``ratio`` above 1 means the first program is
    the faster on this test.
    """

    name: str
    first: float
    second: float
    unit: str
    ratio: Interval


@dataclass(frozen=True, slots=True)
class Trial:
    """Result of a first look at a program: no verdict, since nobody's score rests on it.

    ``status`` is OK where the look found no fault; ``feedback`` gives the fault, or the estimated
    time, in words.
    """

    status: Status
    feedback: str = ""

    @property
    def problem(self) -> str:
        """Fault of the program, in words; empty where there is none."""
        if self.status is Status.OK:
            return ""
        return self.feedback or self.status.replace("_", " ")


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The verdict on one program.

    ``speedup`` (baseline over candidate on the task's meter) goes with the status OK alone.
    ``measurements`` are the candidate's samples, ``reference`` those taken in turn with them of the
    baseline, or of the program with the digest ``against``; ``by_test`` has tests timed separately.
    ``feedback`` is for generators and critics; ``details`` may quote expected outputs, for people.
    ``seconds`` is the time of judging, ``place`` the node, lane and processor if not here.
    """

    status: Status
    speedup: Interval | None = None
    feedback: str = ""
    details: str = ""
    measurements: tuple[Measurement, ...] = ()
    reference: tuple[Measurement, ...] = ()
    seconds: float = 0.0
    against: str = ""
    place: str = ""
    by_test: tuple[TimedTest, ...] = ()

    def __post_init__(self) -> None:
        if (self.status is Status.OK) != (self.speedup is not None):
            raise ValueError(f"a speedup goes with the status ok and only with it: {self.status}")

    @property
    def ok(self) -> bool:
        """Whether the program is correct and was timed."""
        return self.status is Status.OK

    @property
    def reward(self) -> float:
        """The speedup when OK, else 0.0: never negative, never NaN."""
        return self.speedup.value if self.speedup else 0.0


@dataclass(frozen=True, slots=True)
class Baseline:
    """Measurements of the task's own program, once it was built and checked.

    ``measurements`` hold the reward's meter first, described by ``note``. ``noise`` is the relative
    difference of two passes on it, typically (0.01 is 1 %), and ``floor`` the reading of an empty
    program; None if not measured. ``machine`` describes the hardware, one fact a line, for prompts.
    ``gaps`` say how a program may be wrong and still pass, ``passed`` the passed checks ("same
    output on 4 tests"); ``isolated``: programs were kept from files and network.
    """

    measurements: tuple[Measurement, ...]
    note: str = ""
    seconds: float = 0.0
    noise: float | None = None
    machine: str = ""
    floor: float | None = None
    gaps: tuple[str, ...] = ()
    passed: str = ""
    isolated: bool = True

    @property
    def value(self) -> float:
        """Median on the reward's meter, in its unit."""
        return self.measurements[0].median

    def without_start(self, speedup: float) -> float | None:
        """A speedup in time beyond that of an empty program.

        None where that is up to 5 % of the time of either, or nearly all of the faster program's.
        """
        timed = self.measurements[0].unit == "s" and speedup > 0
        floor, value = self.floor or 0.0, self.value
        now = value / speedup if timed else 0.0
        if floor <= _LITTLE * min(value, now) or now - floor <= _LITTLE * now:
            return None
        return (value - floor) / (now - floor)


@dataclass(frozen=True, slots=True)
class Drawn:
    """Random draws of a comparison's rounds, so that no accident is taken for a gain.

    Each round had one of ``layouts`` executables of either program, linked in another order; 0 if
    all had the same. ``spread`` is the relative standard deviation of the first program's time over
    them. Some rounds had ``inputs`` of their own: ``fresh`` is the ratio on these, ``given`` on the
    tests. ``note`` says which draws were impossible, and why.
    """

    layouts: int = 0
    spread: float | None = None
    inputs: int = 0
    fresh: Interval | None = None
    given: Interval | None = None
    note: str = ""

    @property
    def disagrees(self) -> bool:
        """Whether the gain on fresh inputs is below the gain on the tests, by intervals of both.

        Or below half of it, by the median of few inputs whose gains differ too much for a narrow
        interval, as of a program that knows the answers for some.
        """
        if not (self.fresh and self.given):
            return False
        return self.fresh.high < self.given.low or self.fresh.value < self.given.low / 2


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two programs measured side by side with fresh samples.

    ``ratio`` is the second's measure over the first's: above 1 the first is faster. It is None when
    a program failed; ``problem`` then says which and how. ``first`` and ``second`` are their
    samples, ``drawn`` the layouts and inputs of the rounds, if any; ``seconds``, ``place`` and
    ``by_test`` are as of an :class:`Evaluation`. ``first_wrong`` and ``second_wrong`` hold the
    counterexample where an input of a round shows a program to be wrong.
    """

    ratio: Interval | None
    first: tuple[Measurement, ...] = ()
    second: tuple[Measurement, ...] = ()
    problem: str = ""
    seconds: float = 0.0
    drawn: Drawn | None = None
    place: str = ""
    by_test: tuple[TimedTest, ...] = ()
    first_wrong: FuzzResult | None = None
    second_wrong: FuzzResult | None = None


@dataclass(frozen=True, slots=True)
class Counterexample:
    """An input on which a program and the baseline differ, all in text.

    ``input`` is the description from which its executor makes the input again. ``expected`` is the
    baseline's behaviour on it and ``actual`` the program's, for people, shortened if long.
    """

    input: str
    expected: str = ""
    actual: str = ""


@dataclass(frozen=True, slots=True)
class FuzzPlan:
    """Inputs beyond the task's own, for comparing a program with the baseline.

    The ``known`` counterexamples of other programs come first, then up to ``count`` inputs
    generated from ``seed``. After ``seconds`` no further input is begun, unless fewer than
    ``least`` were compared by then; these are begun until ``longest`` seconds have passed.
    """

    seed: int = 0
    count: int = 500
    seconds: float = 10.0
    known: tuple[Counterexample, ...] = ()
    least: int = _FEW
    longest: float = 60.0


@dataclass(frozen=True, slots=True)
class FuzzResult:
    """Comparison of a program with the baseline on inputs beyond the task's own.

    They ``agreed`` on so many; ``rejected`` were not used, since the baseline fails on them or does
    not repeat itself. Where both differ, ``counterexample`` is the smallest input found, described
    by ``problem``. Where they differ only beyond the known range of inputs, which is no fault,
    ``remark`` says how the input ``beyond`` goes further. ``learned`` describes the inputs; ``why``
    says why none or ``few`` of the ``wanted`` (0 if not counted) could be tried in ``seconds``.
    """

    agreed: int = 0
    rejected: int = 0
    problem: str = ""
    counterexample: Counterexample | None = None
    learned: str = ""
    why: str = ""
    seconds: float = 0.0
    wanted: int = 0
    remark: str = ""
    beyond: Counterexample | None = None

    def __post_init__(self) -> None:
        if (self.counterexample is None) != (not self.problem):
            raise ValueError("a counterexample goes with a problem, and only with one")

    @property
    def few(self) -> bool:
        """Whether agreement shows little because so few inputs were compared.

        Few means fewer than 20, and than a tenth of ``wanted``, unless no more were wanted.
        """
        enough = min(self.wanted, max(_FEW, self.wanted // 10))
        return self.counterexample is None and self.agreed < enough


SAME_GAIN = 0.02
"""Relative difference up to which two speedups count as equal."""


@dataclass(frozen=True, slots=True)
class HeldOut:
    """A program measured against the baseline on ``inputs`` that no search has seen or timed.

    ``ratio`` is None where nothing could be measured; ``problem`` then says why, and
    ``counterexample`` is the input where the program is wrong. ``first`` are the samples of the
    program, ``second`` of the baseline; the rest is as of a :class:`Comparison`.
    """

    ratio: Interval | None
    inputs: int = 0
    first: tuple[Measurement, ...] = ()
    second: tuple[Measurement, ...] = ()
    problem: str = ""
    seconds: float = 0.0
    counterexample: Counterexample | None = None
    place: str = ""


class Reason(StrEnum):
    """Machine-readable reason why a run ended or a hunk has no worth; a text beside it explains."""

    BUDGET = "budget"
    """The budget, or its share for this work, was spent."""

    FAILED = "failed"
    """The program does not build, is wrong, or could not be compared."""


@dataclass(frozen=True, slots=True)
class HunkWorth:
    """Worth of one hunk of the best program's diff from the baseline.

    ``path`` and ``header`` ("@@ -3,7 +3,9 @@") locate the hunk of so many ``lines`` removed and
    added. ``worth``: at 1.3, the program without it takes 1.3 times as long. It is None where that
    was not measured, for a ``reason``, which ``problem`` says in words.
    """

    path: str
    header: str
    lines: int
    worth: Interval | None = None
    problem: str = ""
    reason: Reason | None = None


@dataclass(frozen=True, slots=True)
class HotLine:
    """A source line, in a ``function``, and its ``share`` (0 to 1) of the program's cost.

    The share counts the line's own execution and the library's on its behalf, but not the program's
    own functions called by it. ``library`` names the library functions behind it, called or
    inlined, each with its part of the program's cost, the costliest first.
    """

    path: str
    line: int
    share: float
    code: str
    library: tuple[tuple[str, float], ...] = ()
    function: str = ""


@dataclass(frozen=True, slots=True)
class HotFunction:
    """A function, of the program or the library, and its shares (0 to 1) of the program's cost.

    ``share`` is its own execution, with everything inlined into it; ``inclusive`` adds its callees.
    ``own`` marks the program's functions, ``recursive`` functions calling themselves, be it through
    others.
    """

    name: str
    share: float
    inclusive: float
    calls: int
    own: bool = False
    recursive: bool = False


ROOFLINE_TOLERANCE = 1.1
"""Share of the speed of light up to which its roofs may have been measured a little too low."""


@dataclass(frozen=True, slots=True)
class Roofline:
    """The speed of light: the least time of a computation on a machine.

    It moves ``moved`` bytes at ``bandwidth`` bytes a second, and meanwhile does ``operations``
    floating-point operations of type ``dtype`` at ``peak`` a second. Williams, Waterman and
    Patterson: Roofline, an insightful visual performance model, CACM 52(4), 2009.
    """

    moved: int
    operations: int
    bandwidth: float
    peak: float
    dtype: str = ""

    @property
    def seconds(self) -> float:
        """The least time, in seconds: that of the bytes or of the operations, if more."""
        return max(self.moved / self.bandwidth, self.operations / self.peak)

    @property
    def intensity(self) -> float:
        """Operations per byte moved."""
        return self.operations / max(self.moved, 1)

    @property
    def bound(self) -> str:
        """The lower roof at this intensity: "memory" or "compute"."""
        return "memory" if self.intensity < self.peak / self.bandwidth else "compute"

    def share(self, seconds: float) -> float:
        """Share of the speed of light reached in so many ``seconds``."""
        return self.seconds / seconds


@dataclass(frozen=True, slots=True)
class KernelUse:
    """Resources of a GPU kernel, which decide how many of its threads run at a time.

    ``registers`` for each thread, ``shared`` bytes for each block. ``spilled`` bytes are moved
    between registers and memory by a thread, and ``local`` bytes are its part of this memory,
    arrays included. ``grid`` in blocks and ``block`` in threads are of its last start, if any;
    ``arch``, such as sm_90a, it was compiled for, if known.
    """

    name: str
    registers: int
    shared: int
    spilled: int = 0
    grid: tuple[int, int, int] | None = None
    block: tuple[int, int, int] | None = None
    local: int = 0
    arch: str = ""


@dataclass(frozen=True, slots=True)
class Profile:
    """Distribution of a program's costs. ``text`` is the short form for prompts and people.

    ``lines`` and ``functions`` begin with the costliest. Memory in bytes, its integral over time in
    MB*s; None if not measured. Of a kernel everything is for one forward call of so many
    ``seconds``: functions are operators, functions of extensions and GPU kernels, of which it
    started ``launches`` itself; ``kernels`` gives their use of the GPU, ``roofline`` the least cost
    of the reference's computation.
    """

    text: str
    lines: tuple[HotLine, ...] = ()
    peak_memory: float | None = None
    memory_integral: float | None = None
    instructions: int | None = None
    allocations: int | None = None
    functions: tuple[HotFunction, ...] = ()
    seconds: float | None = None
    launches: int | None = None
    allocated: float | None = None
    kernels: tuple[KernelUse, ...] = ()
    roofline: Roofline | None = None


@dataclass(frozen=True, slots=True)
class Critique:
    """A diagnosis in words. ``text`` holds all of it; other fields repeat its parts, if known.

    ``bottleneck`` is one of memory, compute, algorithm, io, correctness, build, or empty.
    ``missing`` says why there is no diagnosis.
    """

    text: str
    bottleneck: str = ""
    evidence: str = ""
    suggestions: tuple[str, ...] = ()
    cost: Cost = FREE
    missing: str = field(default="", repr=False)
