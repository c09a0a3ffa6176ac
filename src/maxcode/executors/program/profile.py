"""Profile of a program: from a plain run, and a run under callgrind or a runtime's profiler."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from maxcode.errors import ExecutorError, ToolError
from maxcode.evaluation import HotFunction, Profile
from maxcode.executors.profiles import function_table, hot_functions, hot_lines, line_table
from maxcode.executors.program.runner import Place, ProgramFailedError, ProgramRunner
from maxcode.measure.callgrind import Executed, Function, Spot, callgrind
from maxcode.measure.symbols import (
    Frame,
    Own,
    attribute,
    frames,
    own_files,
)
from maxcode.program import Program
from maxcode.sandbox.base import Completed, Files, Limits, Sandbox
from maxcode.tasks.program import ProgramTask
from maxcode.text import duration, in_ascii
from maxcode.toolchain.profiling import Profiled

_LINES, _FUNCTIONS = 9, 8


def profile_text(
    profile: Profile,
    test: str,
    seconds: float,
    problem: str = "",
    original: str = "",
) -> str:
    """Short form: at most 25 lines of ASCII.

    ``test`` is the profiled test, and ``seconds`` its processor time. ``problem`` is the reason for
    missing costs, and ``original`` the baseline's time for each test.
    """
    facts = [f"{seconds * 1e3:,.0f} ms of cpu time"]
    if profile.instructions is not None:
        facts.append(f"{_large(profile.instructions)} instructions")
    if profile.allocations is not None:
        facts.append(f"{profile.allocations:,} allocations")
    if profile.peak_memory is not None:
        facts.append(f"peak memory {profile.peak_memory / 1e6:,.1f} MB")
    if profile.memory_integral is not None:
        facts.append(f"memory x time {profile.memory_integral:,.2f} MB*s")
    text = [f"test {test}: {', '.join(facts)}", *([original] if original else [])]
    if problem:
        text.append(f"no lines and functions: {problem}")
    else:
        lines = profile.lines[:_LINES]
        text += line_table(lines, named=len({line.path for line in lines}) > 1)
        text += function_table(profile.functions[:_FUNCTIONS])
    return "\n".join(in_ascii(line).rstrip() for line in text)


def _large(number: int) -> str:
    return f"{number / 1e6:,.1f} million" if number >= 100_000 else f"{number:,}"


_COUNTED, _TRACED = 0.25, 2.0  # most seconds of the test under callgrind, and in a runtime
_SLOWED = 40  # times that a runtime's profiler may take
_LISTED = 8  # tests with the original's times
_MIN_SECONDS, _MAX_SECONDS = 0.25, 0.85  # seconds a run is allowed, before it is slowed down
_MIN_FUNCTION, _MIN_INCLUSIVE = 0.005, 0.05  # shares that are kept
_MAX_LINES, _MAX_FUNCTIONS = 12, 24
_NOTHING = Profile("")


def profile(
    sandbox: Sandbox, runner: ProgramRunner, task: ProgramTask, program: Program, place: Place
) -> Profile:
    """Profile a program that passed, on the test that takes the baseline longest.

    Times and memory come from a separate plain run. Missing parts are explained in the text. Raises
    :class:`~maxcode.errors.ExecutorError` and :class:`~maxcode.errors.ToolError` if the sandbox
    cannot work, :class:`~maxcode.sandbox.base.StoppedError` once stopped.
    """
    language = runner.language(task)
    try:
        flags = (*task.judging.flags, *(["-g"] if language.callgrind else []))
        executable = runner.build(task, program, flags=flags, processors=place.processors)
    except ProgramFailedError as failed:
        return Profile(f"not profiled: it cannot be built with -g: {failed}"[:2000])
    return _Profiler(sandbox, runner, task, program, executable, place).profile()


@dataclass(frozen=True, slots=True)
class _Profiler:
    """A program built for profiling, and its task."""

    sandbox: Sandbox
    runner: ProgramRunner
    task: ProgramTask
    program: Program
    executable: Path
    place: Place

    def profile(self) -> Profile:
        usual = self.runner.usual(self.task) or [0.0] * len(self.task.tests)
        traced = isinstance(self.runner.toolchain(self.task), Profiled)
        number = dominant_test(usual, _TRACED if traced else _COUNTED)
        native = self.runner.once(self.task, self.executable, number, self.place)
        found, problem = self._costs(number, native)
        found = replace(
            found,
            peak_memory=float(native.peak_memory),
            memory_integral=native.memory_integral / 1e6,
        )
        names = [test.name for test in self.task.tests]
        original = original_times(names, self.runner.usual(self.task))
        text = profile_text(found, names[number], native.cpu, problem, original)
        return replace(found, text=text)

    def _costs(self, number: int, native: Completed) -> tuple[Profile, str]:
        """Costs on a test, or the problem."""
        toolchain, language = self.runner.toolchain(self.task), self.runner.language(self.task)
        self.runner.deadline.check()
        if not native.ok:
            return _NOTHING, f"it {native.cause}"
        if isinstance(toolchain, Profiled):
            return self._by_runtime(toolchain, number, native)
        if language.callgrind:
            return self._by_callgrind(number, native)
        return _NOTHING, f"there is no profiler for {language.title}"

    def _by_runtime(
        self, toolchain: Profiled, number: int, native: Completed
    ) -> tuple[Profile, str]:
        """Shares of time by the runtime's own profiler."""
        command = toolchain.profiling(self.executable, self.task.judging.flags)
        limits = command.limits(self._limits(_SLOWED * max(native.wall, _MIN_SECONDS)))
        files = command.files(self.runner.inputs(self.task)[number])
        run = self.sandbox.run(command.words, limits, files)
        try:
            return toolchain.costs(run.stdout, self.executable.parent, self.program), ""
        except ValueError:
            return _NOTHING, f"it {run.cause} while it was profiled"

    def _limits(self, seconds: float) -> Limits:
        return Limits(seconds, self.task.judging.memory, processors=self.place.processors)

    def _by_callgrind(self, number: int, native: Completed) -> tuple[Profile, str]:
        limits = self._limits(min(max(native.wall, _MIN_SECONDS), _MAX_SECONDS))
        files = Files(stdin=self.runner.inputs(self.task)[number], read=(self.executable,))
        try:
            run, executed = callgrind(self.sandbox, [str(self.executable)], limits, files)
        except (ToolError, ExecutorError) as error:
            return _NOTHING, str(error)
        if executed is None:
            unhandled = b"unhandled instr" in run.stderr
            unknown = "; valgrind does not know an instruction" if unhandled else ""
            return _NOTHING, f"under callgrind it {run.cause}{unknown}"
        return self._attributed(executed), ""

    def _attributed(self, executed: Executed) -> Profile:
        """Costs by the program's own lines and functions."""
        ours = [spot for spot in executed.spots if spot.function.object == str(self.executable)]
        try:
            found = frames(self.sandbox, self.executable, sorted({one.address for one in ours}))
        except (ToolError, ExecutorError):
            found = {}  # the lines of inlined code are then those of the library
        origins = {spot: found[spot.address] for spot in ours if spot.address in found}
        own = own_files(self.program.files)
        attributed = attribute(executed, origins, own)
        return Profile(
            "",
            tuple(hot_lines(attributed, executed.instructions, self.program, _MAX_LINES)),
            functions=tuple(_functions(executed, origins, own)),
            instructions=executed.instructions,
            allocations=executed.allocations,
        )


def dominant_test(usual: Sequence[float], most: float) -> int:
    """Number of the test that takes the baseline longest, but at most ``most`` seconds.

    The quickest where all take longer. ``usual`` are the baseline's seconds for each test.
    """
    short = [number for number, seconds in enumerate(usual) if seconds <= most]
    if short:
        return max(short, key=usual.__getitem__)
    return min(range(len(usual)), key=usual.__getitem__)


def original_times(names: Sequence[str], usual: Sequence[float]) -> str:
    """Times of the baseline by test, in a line; empty for a single test."""
    if len(usual) < 2:
        return ""
    longest = sorted(range(len(usual)), key=lambda number: -usual[number])
    shown = ", ".join(f"{names[n]} {duration(usual[n])}" for n in sorted(longest[:_LISTED]))
    rest = longest[_LISTED:]
    more = f", {len(rest)} shorter ones {duration(sum(usual[n] for n in rest))}" if rest else ""
    return f"the original by test: {shown}{more}"


def _functions(
    executed: Executed, origins: Mapping[Spot, tuple[Frame, ...]], own: Own
) -> Iterator[HotFunction]:
    """Costly functions, and those of the program that call them."""
    ours: set[Function] = set()
    for spot in executed.costs:
        if own(origins[spot][-1].file if spot in origins else spot.file) is not None:
            ours.add(spot.function)
    kept = (
        row
        for row in hot_functions(executed, ours)
        if row.share >= _MIN_FUNCTION or (row.own and row.inclusive >= _MIN_INCLUSIVE)
    )
    yield from islice(kept, _MAX_FUNCTIONS)
