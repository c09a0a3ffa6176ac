"""The command `verify`: a change or a run's result, measured once more against the original."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field, replace
from math import inf, log
from pathlib import Path
from typing import Any

from rich.console import Console

from maxcode.budget import Budget
from maxcode.cli.commands import Verify
from maxcode.cli.console import (
    command,
    figure_table,
    print_document,
    print_gaps,
    say,
    standard_output,
    waiting,
)
from maxcode.cli.forms import Outcome, Row
from maxcode.cli.plugins import make_executor
from maxcode.cli.recipe import Recipe
from maxcode.cli.tasks import TASK_FILE, sandbox_named
from maxcode.errors import ExecutorError, InputError, ToolError
from maxcode.evaluation import Baseline, Comparison, Interval, Status
from maxcode.executors.project.change import Change, Sides, change_in_git, change_of_patch, sides
from maxcode.executors.project.executor import ProjectExecutor
from maxcode.executors.project.timing import each_benchmark
from maxcode.files import read_source
from maxcode.interfaces import Executor
from maxcode.journal.journal import Journal
from maxcode.journal.state import RunState
from maxcode.measure.rounds import Plan, bounds
from maxcode.options import MIN_GAIN
from maxcode.program import Program
from maxcode.report.closing import flags_of
from maxcode.sandbox.base import Sandbox
from maxcode.search.result import Result
from maxcode.search.summary import too_small
from maxcode.system import ScratchFolder
from maxcode.tasks.project import FLAGS_FILE, ProjectTask
from maxcode.text import duration, factor

CODES = {"faster": 0, "no faster": 1, "slower": 3, "broken": 4, "undecided": 5}
"""Exit code of each verdict; 0 and 1 also where another expectation holds, or does not."""

LEVEL = 0.95  # of intervals
ALLOWED = 0.02  # slowdown that is none, where the task sets no `no_regression`
_SMALL = 1.03  # gains below are "no faster", once larger gains are excluded
_LONG = 3600.0  # seconds
_PASSED = re.compile(
    r"^(?:PASSED |ok \d|\s*--- PASS|.*(?:\.\.\. ok| PASSED ?.*)$).*\n?", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class Expectation:
    """Speedup expected: met by an interval above ``met``, unmet by an interval below ``unmet``.

    The estimate has to be at least ``least``.
    """

    text: str
    met: float
    unmet: float
    least: float = 0.0

    @classmethod
    def of(cls, text: str, allowed: float) -> Expectation:
        """An expectation by its text. Raises :class:`InputError`."""
        if text == "faster":
            return cls(text, 1.0, _SMALL, 1 + MIN_GAIN)
        if text == "not slower":
            return cls(text, 1 - allowed, 1 - allowed)
        found = re.fullmatch(r">= ?(\d+(?:\.\d+)?)x?", text)
        if found is None or float(found[1]) <= 0:
            raise InputError(f"--expect takes faster, 'not slower' or '>=1.1', not {text!r}")
        return cls(text, float(found[1]), float(found[1]))

    def holds(self, ratio: Interval) -> bool | None:
        """Whether it holds; None where the interval cannot tell."""
        if ratio.low > self.met and ratio.value >= self.least:
            return True
        return False if ratio.high < self.unmet else None

    def plan(self, seconds: float = inf) -> Plan:
        """Plan of measuring until it is decided, for that long at most."""
        return Plan(
            least=10,
            most=1000,
            precision=0.1,
            level=LEVEL,
            seconds=seconds,
            decided=lambda ratio: self.holds(ratio) is not None,
        )

    def seconds(self, ratio: Interval, spent: float) -> float:
        """Seconds of measuring that would decide, if the estimate stays."""
        width = log(ratio.high / ratio.low) / 2 if ratio.low else 1.0
        value = log(ratio.value) if ratio.value else -1.0
        needed = max(value - log(self.met), log(self.unmet) - value)
        return spent * (width / max(needed, 1e-4)) ** 2


@dataclass(frozen=True)
class Verdict:
    """All that is known of a change: what was measured and how, and what was left out.

    ``slower`` names benchmarks slower than the task allows; ``allowed`` is that share, or the one
    for all benchmarks together. ``without_start`` is the speedup in time beyond that of an empty
    program, if this differs. ``seconds`` are those of measuring, ``repeat`` is a command.
    """

    task: str
    status: Status
    problem: str
    speedup: Interval | None
    expect: Expectation
    allowed: float = ALLOWED
    without_start: float | None = None
    benchmarks: dict[str, Interval] = field(default_factory=dict)
    slower: tuple[str, ...] = ()
    pairs: int = 0
    seconds: float = 0.0
    ignored: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()
    checked: str = ""
    machine: str = ""
    repeat: str = ""
    isolated: bool = True

    @property
    def code(self) -> int:
        """The exit code."""
        if self.slower or (self.speedup and self.speedup.high < 1 - self.allowed):
            return CODES["slower"]
        if self.status is Status.INFRASTRUCTURE:
            return CODES["undecided"]
        if self.speedup is None or self.problem:
            return CODES["broken"]
        return {True: 0, False: 1, None: CODES["undecided"]}[self.expect.holds(self.speedup)]

    @property
    def word(self) -> str:
        """The verdict in a word or two, whatever was expected."""
        if self.code > 1 or self.speedup is None:
            return next(word for word, code in CODES.items() if code == self.code)
        return "faster" if self.speedup.faster(MIN_GAIN) else "no faster"

    @property
    def headline(self) -> str:
        """Speedup with its interval, or the reason for none, without the tests that passed."""
        if (one := self.speedup) is None:
            status = "" if self.status is Status.OK else f"{self.status.replace('_', ' ')}: "
            return status + _PASSED.sub("", self.problem).strip()
        own = f"; {factor(self.without_start)} without start-up" if self.without_start else ""
        return (
            f"{factor(one.value)} ({self.word}{own}), {100 * one.level:g}% interval "
            f"{factor(one.low)} to {factor(one.high)}, {self.pairs} pairs of fresh samples"
        )

    @property
    def hints(self) -> list[str]:
        """Remarks below the headline."""
        said = [f"slower than allowed: {', '.join(self.slower)}"] if self.slower else []
        said += [f"ignored: {', '.join(self.ignored)}"] if self.ignored else []
        if self.expect.text != "faster":
            outcome = {0: "holds", 1: "does not hold", 5: "is undecided"}.get(self.code, "fails")
            said.append(f"expected {self.expect.text}: {outcome}")
        if self.speedup and self.code == CODES["undecided"]:
            wanted = self.expect.seconds(self.speedup, self.seconds)
            more = f"about {duration(wanted)} of measuring would decide: --seconds {wanted:.0f}"
            more = more if wanted < _LONG else "an hour would not decide"
            said.append(f"cannot tell: the interval holds both outcomes; {more}")
        return [*said, *self.notes]

    def write(self, console: Console) -> None:
        """Print it: benchmarks, headline, remarks."""
        if self.benchmarks:
            rows = (
                (name, *map(factor, (one.value, one.low, one.high)))
                for name, one in self.benchmarks.items()
            )
            table = figure_table(("benchmark", "speedup", "from", "to"), rows)
            console.print(table, end="\n\n")
        for line in (f"{self.task}: {self.headline}", *self.hints):
            console.print(line, soft_wrap=True)
        print_gaps(console, self.gaps)

    def document(self) -> dict[str, Any]:
        """The verdict as JSON."""
        words = {"verdict": self.word, "exit_code": self.code, "expect": self.expect.text}
        return {**asdict(self), **words, "problem": self.problem or None}

    def outcome(self) -> Outcome:
        """The verdict for a comment or a file of tests."""
        rows = [
            Row(
                name,
                (factor(one.value), f"{factor(one.low)} to {factor(one.high)}"),
                "slower" if name in self.slower else "",
            )
            for name, one in self.benchmarks.items()
        ]
        facts = [f"checked: {self.checked}", *self.hints]
        facts += [f"little is compared: {'; '.join(self.gaps)}"] if self.gaps else []
        return Outcome(
            "verify",
            self.task,
            self.word,
            self.headline,
            test=self.expect.text,
            failure=self.word if self.code else "",
            columns=("benchmark", "speedup", "interval"),
            rows=rows,
            facts=[*facts, f"machine: {self.machine}", f"repeat: {self.repeat}"],
        )


def verify(request: Verify) -> int:
    """Build, test and measure it again; gives the exit code."""
    Expectation.of(request.expect, ALLOWED)
    with ScratchFolder("maxcode-patch-") as scratch:
        change = _change(request, scratch)
        given = (change, sandbox_named(request.sandbox)) if change else _of_run(request)
        try:
            verdict = _measured(request, *given)
        except ExecutorError as error:  # the code of other errors is a verdict here
            raise ToolError(str(error)) from error
    if request.json:
        print_document(verdict.document())
    else:
        verdict.write(standard_output())
    verdict.outcome().write(request.markdown, request.junit)
    return verdict.code


def _change(request: Verify, scratch: Path) -> Change | None:
    """The change of a project that the source names; None for a run."""
    source, folder = request.source, Path(request.task)
    path, tests = Path(source), request.their_tests
    if source == "-" or path.is_file():
        if not (folder / TASK_FILE).is_file():
            raise InputError(f"{folder} is no project to apply {source} to; name it: --task")
        text = read_source(Path("/dev/stdin") if source == "-" else path)
        return patched(folder, text, scratch, their_tests=tests)
    if path.suffix in (".patch", ".diff"):
        raise InputError(f"there is no file {source}")
    if path.is_dir():
        return change_in_git(path, Sides("HEAD"), scratch, their_tests=tests)
    found = None if source == "last" or not folder.is_dir() else sides(folder, source)
    return change_in_git(folder, found, scratch, their_tests=tests) if found else None


def patched(folder: Path, text: str, scratch: Path, *, their_tests: bool = False) -> Change:
    """The change by a patch, which may set flags as the patches of a search do.

    Raises :class:`InputError` for a patch that does not apply, or changes what is not judged.
    """
    change = change_of_patch(folder, text, scratch, their_tests=their_tests)
    baseline, files = change.task.baseline, dict(change.program.files)
    if (flags := flags_of(text)) is not None or FLAGS_FILE in baseline.files:
        files[FLAGS_FILE] = baseline.files.get(FLAGS_FILE, "") if flags is None else f"{flags}\n"
    program = Program(files, change.program.entry)
    if program == baseline:
        raise InputError(f"the patch changes nothing of {folder}")
    return replace(change, program=program)


def _of_run(request: Verify) -> tuple[Change, Sandbox]:
    """The best program of a run, and its sandbox."""
    with Journal.open(request.store, create=False) as journal:
        state = RunState.load(journal.run(request.source))
        recipe = Recipe.of(state)
        result = Result.of(state)
        if not result.improved:
            raise InputError(f"run {result.run_id} found nothing faster that could be verified")
        built = recipe.build(Budget(), sandbox=request.sandbox)
        task = built.load_task()
        if state.started and state.started.task_digest != task.digest:
            raise InputError(
                f"the task of run {result.run_id} has changed since; put it back to measure again"
            )
        return Change(task, result.program), built.sandbox


def _measured(request: Verify, change: Change, box: Sandbox) -> Verdict:
    task, comparison = change.task, None
    margin = task.benchmark.no_regression if isinstance(task, ProjectTask) else None
    allowed = ALLOWED if margin is None else margin
    expected = Expectation.of(request.expect, allowed)
    made: AbstractContextManager[Executor]
    if isinstance(task, ProjectTask):
        made = project = ProjectExecutor(box, confirm=expected.plan(request.seconds))
        project.on_wait(waiting)
    else:
        made = make_executor(task, box)
    with made as executor:
        say("building, testing and timing the original")
        baseline = executor.prepare(task)
        say("building, testing and timing the changed program")
        evaluation = executor.evaluate(task, change.program)
        if evaluation.ok:
            comparison = executor.compare(task, change.program, task.baseline)
    words = [request.source, "--task", request.task, "--expect", request.expect]
    words += ["--their-tests"] if request.their_tests else []
    verdict = Verdict(
        task.name,
        evaluation.status,
        evaluation.details or evaluation.feedback,
        None,
        expected,
        allowed,
        ignored=change.ignored,
        gaps=baseline.gaps,
        checked=baseline.note,
        machine=next(iter(baseline.machine.splitlines()), "unknown"),
        repeat=command("verify", *words) + (" < change.patch" if request.source == "-" else ""),
        isolated=box.isolated,
        seconds=min(comparison.seconds, request.seconds) if comparison else 0.0,
    )
    if comparison:
        verdict = _with_figures(verdict, comparison, each_counts=margin is not None)
    own = baseline.without_start(verdict.speedup.value) if verdict.speedup else None
    notes = tuple(_notes(change, baseline, verdict))
    return replace(verdict, without_start=own, notes=notes)


def _with_figures(verdict: Verdict, comparison: Comparison, *, each_counts: bool) -> Verdict:
    """The verdict by a comparison; ``each_counts`` if no benchmark may become slower."""
    known = replace(verdict, problem=comparison.problem)
    if not comparison.first:
        return known
    first, second, least = comparison.first, comparison.second, 1 - verdict.allowed
    ratio = comparison.ratio or bounds(second[0].samples, first[0].samples, LEVEL)
    each = each_benchmark(first, second, ratio.level)
    slower = tuple(name for name, one in each.items() if each_counts and one.high < least)
    if comparison.ratio is None and not slower and ratio.high >= least:
        return known  # its figures are not believed
    pairs = len(first[0].samples)
    return replace(known, speedup=ratio, benchmarks=each, slower=slower, pairs=pairs)


def _notes(change: Change, baseline: Baseline, verdict: Verdict) -> Iterator[str]:
    if baseline.floor is not None:
        yield from (f"understated: {one}" for one in too_small(baseline))
    if verdict.speedup is None and change.build_files:
        files = ", ".join(change.build_files)
        yield f"left out, and perhaps needed: {files} (to judge them, name them under editable)"
