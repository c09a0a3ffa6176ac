"""ProjectExecutor: builds a project, tests it, and times its benchmark beside the original's."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from math import log
from pathlib import Path
from threading import Lock
from time import monotonic

from maxcode.errors import ExecutorError, InputError, TaskError, ToolError
from maxcode.evaluation import Baseline, Comparison, Evaluation, Profile, Status
from maxcode.executors.base import LocalExecutor, machine_errors, on_processors
from maxcode.executors.project.forgery import forgery
from maxcode.executors.project.outcomes import passed_tests, without_passed
from maxcode.executors.project.profile import MAX_SECONDS, debuggable, profile
from maxcode.executors.project.timing import ProjectTiming, Timed
from maxcode.executors.project.tools import missing, strange_flags
from maxcode.executors.project.trees import (
    CandidateFailedError,
    FailingProjectError,
    ProjectTrees,
    Run,
    Tree,
    complaint,
    failure,
)
from maxcode.executors.soundness import ChangedOriginalError
from maxcode.interfaces import Incumbent
from maxcode.measure.lane import other_processors, timing_processors
from maxcode.measure.machine import machine_facts
from maxcode.measure.rounds import CONFIRM, SCORE, Plan
from maxcode.measure.statistics import noise
from maxcode.program import Program
from maxcode.sandbox.base import Sandbox
from maxcode.sandbox.bubblewrap import BubblewrapSandbox
from maxcode.task import Task
from maxcode.tasks.project import FLAGS_FILE, ProjectTask
from maxcode.tasks.project_files import Snapshot, is_test
from maxcode.text import counted

_BASELINE_SAMPLES = 6
_LONG_PROFILE = 90.0  # seconds, with the build
_NONSENSE = ")( nothing that is a program\n"
_MAX_SLOWER = 3  # benchmarks that feedback names as slower
_MAX_EACH = 20  # benchmarks with a line of their own


@dataclass
class _Project:
    """A task with its trees, timing and tests."""

    task: ProjectTask
    trees: ProjectTrees
    timing: ProjectTiming
    tests: frozenset[str] = frozenset()
    test_seconds: float = 0.0
    profile_seconds: float = 0.0
    correct: set[tuple[str, bool]] = field(default_factory=set)  # who passed; built anew?


class ProjectExecutor(LocalExecutor[ProjectTask]):
    """Judges projects by their own build, tests and benchmark commands.

    The project is copied, and built in ``sandbox``, which must isolate; by default bubblewrap. A
    candidate's tree is its changed files over the baseline's build; a comparison builds and tests
    from scratch. Builds and tests run in parallel, benchmarks in the timing lane, with processes of
    both trees alternating.

    ``score`` and ``confirm`` are the measurement plans of the search's score and of a confirmation.
    Keep an executor for a whole search and close it, or use it as a context manager. Raises
    :class:`~maxcode.errors.ToolError` if the sandbox cannot work, or does not isolate.
    """

    _kind = ProjectTask
    _subject = "projects"

    def __init__(
        self, sandbox: Sandbox | None = None, *, score: Plan = SCORE, confirm: Plan = CONFIRM
    ) -> None:
        self._sandbox = sandbox or BubblewrapSandbox()
        if not self._sandbox.isolated:
            raise ToolError(
                "the commands of a project are run in bubblewrap only; on Debian and Ubuntu: "
                "apt install bubblewrap"
            )
        super().__init__(score, confirm)
        self._scratch.path.chmod(0o755)
        self._projects: dict[str, _Project] = {}
        self._built: dict[tuple[object, ...], ProjectTrees] = {}
        self._lock = Lock()

    def prepare(self, task: Task) -> Baseline:
        """Set up, build, test and time the baseline. Raises :class:`TaskError` when it fails."""
        task, started = self._own(task), monotonic()
        self._deadline.stopped.clear()
        try:
            project = self._project(task)
            measurements = project.timing.prepare(_BASELINE_SAMPLES)
            floor = project.timing.floor()
        except CandidateFailedError as failed:
            raise _failing(task, failed) from failed
        except (InputError, ChangedOriginalError) as error:
            raise TaskError(f"task {task.name!r}: {error}") from error
        machine = machine_facts(project.timing.processors)
        if floor is not None:
            least = f"{1e3 * floor:.3g} ms for each benchmark"
            machine += f"\nstart: a process that does nothing takes {least}"
        return Baseline(
            measurements,
            _note(project),
            seconds=monotonic() - started,
            noise=noise(measurements[0].samples),
            machine=machine,
            floor=floor,
            gaps=project.timing.gaps(),
            passed=f"passes {_tests(project)}",
        )

    def tested(self, task: Task) -> Path:
        """Folder of the baseline, set up, built and tested; not timed. Raises :class:`TaskError`
        when it fails."""
        task = self._own(task)
        try:
            return self._project(task).trees.baseline.path
        except CandidateFailedError as failed:
            raise _failing(task, failed) from failed

    def tests(self, task: Task) -> frozenset[str]:
        """Names of the tests the baseline passed; empty if unreadable."""
        return self._project(self._own(task)).tests

    def measures_sources(self, task: Task) -> bool:
        """Whether build or benchmark fail once all editable files hold nonsense.

        Otherwise something else is measured, such as an installed copy of the package.
        """
        task = self._own(task)
        project, nonsense = self._project(task), task.baseline
        for path in task.sources:
            nonsense = nonsense.with_file(path, _NONSENSE)
        try:
            return not project.timing.runs_in(project.trees.opened(nonsense))
        except CandidateFailedError:
            return True

    def profile(self, task: Task, program: Program) -> Profile | None:
        """Profile of a program's benchmark commands, if a profiler is installed.

        Native code is built with line numbers and run under callgrind, Python under cProfile. If
        this takes very long, only the baseline is profiled.
        """
        project, began = self._project(self._own(task)), monotonic()
        if program != task.baseline and project.profile_seconds > _LONG_PROFILE:
            return None
        writable = project.task.benchmark.writable
        run = Run(MAX_SECONDS, project.trees.processors, writable=writable)
        try:
            return profile(project.trees, project.trees.opened(debuggable(program)), run)
        except (CandidateFailedError, ExecutorError, OSError):
            return None
        finally:
            if program == task.baseline:
                project.profile_seconds = monotonic() - began

    def _compared(self, task: ProjectTask, a: Program, b: Program, plan: Plan) -> Comparison:
        project = self._project(task)
        trees: list[Tree] = []
        for name, program in (("the first", a), ("the second", b)):
            try:
                _check_changes(project, program)
                trees.append(project.trees.opened(program, anew=True))
                self._check(project, trees[-1], anew=True)
            except CandidateFailedError as failed:
                return Comparison(None, problem=f"{name} program failed: {failed}")
        try:
            with machine_errors():
                timed = project.timing.measure(trees[0], trees[1], plan)
                elsewhere = project.timing.only_when_timed(trees[0], trees[1], timed.ratio)
        except CandidateFailedError as failed:
            problem = f"a program failed while it was timed: {failed}"
            return Comparison(None, problem=problem)
        problem = timed.suspicion or elsewhere or _regression(task, timed)
        ratio = None if problem else timed.ratio
        return Comparison(ratio, timed.first, timed.second, problem=problem)

    def _evaluated(
        self,
        task: ProjectTask,
        program: Program,
        against: Incumbent | None,  # noqa: ARG002 - its tree would have to be kept
    ) -> Evaluation:
        project = self._project(task)
        _check_changes(project, program)
        tree = project.trees.opened(program)
        self._check(project, tree)
        timed = project.timing.measure(tree, project.trees.baseline, self._score)
        if timed.suspicion:
            return Evaluation(Status.SUSPECT, feedback=timed.suspicion)
        return Evaluation(
            Status.OK,
            timed.ratio,
            feedback=_feedback(project, timed),
            measurements=timed.first,
            reference=timed.second,
            by_test=timed.by_test if len(timed.by_test) > 1 else (),
        )

    def _check(self, project: _Project, tree: Tree, *, anew: bool = False) -> None:
        """Run the tests of a built program. Raises :class:`CandidateFailedError`."""
        self._deadline.check()
        correct = tree.program.digest, anew
        if correct in project.correct or tree is project.trees.baseline:
            return
        changed = tree.changed - project.trees.baseline.changed
        if changed:
            raise CandidateFailedError(
                Status.SUSPECT, f"its build changed {', '.join(sorted(changed)[:5])}"
            )
        passed = self._tests(project, tree, self._test_seconds(project))
        if lost := sorted(project.tests - passed):
            some = ", ".join(lost[:5])
            raise CandidateFailedError(
                Status.WRONG_ANSWER,
                f"{counted(len(lost), 'test')} that passed did not pass, or vanished: {some}",
            )
        project.correct.add(correct)

    def _tests(self, project: _Project, tree: Tree, seconds: float) -> frozenset[str]:
        """Names of the tests that passed."""
        task = project.task
        if not task.commands.test:
            return frozenset()
        run = Run(seconds, other_processors(timing_processors(task.benchmark.threads)))
        ended = project.trees.run(tree, task.commands.test, run)
        completed = ended.completed
        if completed.ok and not completed.flooded:
            text = (completed.stdout + b"\n" + completed.stderr).decode("utf-8", "replace")
            return passed_tests(text, ended.report)
        crashed = completed.code < 0 or completed.code > 128
        status = Status.RUNTIME_ERROR if crashed else Status.WRONG_ANSWER
        wrote = _ends(completed.stdout, complaint(completed))
        raise failure(completed, status, "the tests", "test", wrote)

    @staticmethod
    def _test_seconds(project: _Project) -> float:
        """Time limit of the tests: ten times the baseline's and 5 s, or the task's if less."""
        limit = project.task.bounds.test
        return min(limit, 5.0 + 10 * project.test_seconds) if project.test_seconds else limit

    def _project(self, task: ProjectTask) -> _Project:
        """The task with its trees; set up, built and tested on first use."""
        with self._lock:
            if task.digest not in self._projects:
                trees = self._trees(task)
                timing = ProjectTiming(task, trees, self._watch)
                project = _Project(task, trees, timing)
                if task.commands.test not in trees.passed:
                    began = monotonic()
                    passed = self._tests(project, trees.baseline, task.bounds.test)
                    trees.passed[task.commands.test] = passed, monotonic() - began
                project.tests, project.test_seconds = trees.passed[task.commands.test]
                self._projects[task.digest] = project
            return self._projects[task.digest]

    def _trees(self, task: ProjectTask) -> ProjectTrees:
        """Trees with the baseline built, shared by tasks that differ in tests and benchmark."""
        commands, program = task.commands, task.baseline.digest
        where = task.folder, task.tree, task.patterns
        key = (*where, program, task.bounds, commands.setup, commands.build)
        if key in self._built:
            return self._built[key].serving(task)
        folder = Path(tempfile.mkdtemp(dir=self._scratch.path))
        folder.chmod(0o755)
        others = other_processors(timing_processors(task.benchmark.threads))
        self._built[key] = ProjectTrees(self._sandbox, task, folder, others, self._deadline)
        return self._built[key]


def _check_changes(project: _Project, program: Program) -> None:
    """Raise :class:`CandidateFailedError` for forbidden changes, before anything is run."""
    task, baseline = project.task, project.task.baseline
    known = baseline.files.get(FLAGS_FILE, "").split()
    flags = strange_flags(program.files.get(FLAGS_FILE, ""))
    if strange := [flag for flag in flags if flag not in known]:
        raise CandidateFailedError(Status.INVALID, f"{FLAGS_FILE}: {strange[0]} may not be set")
    tests = (path for path, _ in task.listing if path not in baseline.files and is_test(path))
    if reason := forgery(program, baseline, project.timing.names, tests):
        raise CandidateFailedError(Status.SUSPECT, reason)


def _tests(project: _Project) -> str:
    if not project.task.commands.test:
        return "no tests"
    return counted(len(project.tests), "test") if project.tests else "tests by exit status"


def _note(project: _Project) -> str:
    """Note on the measurement and its conditions."""
    task, timing = project.task, project.timing
    benchmarks = f"{counted(len(timing.names), 'benchmark')} ({task.benchmark.format})"
    return f"{_tests(project)}, {benchmarks}, isolated, {on_processors(timing.processors)}"


def _feedback(project: _Project, timed: Timed) -> str:
    """Feedback for a generator: the ratio of each benchmark, and which became slower.

    Of many benchmarks those that changed the most.
    """
    tests = f"{len(project.tests)} tests" if project.tests else "its tests"
    lines = [f"passed {tests}, {timed.ratio} against the original over all benchmarks"]
    if len(each := timed.by_test) > 1:
        far = sorted(each, key=lambda one: -abs(log(one.ratio.value)))[:_MAX_EACH]
        lines += [f"  {one.name}: {one.ratio}" for one in each if one in far]
        if rest := [one.ratio.value for one in each if one not in far]:
            lines.append(f"  {len(rest)} others: {min(rest):.3g}x to {max(rest):.3g}x")
    if slower := timed.slower(0.0):
        lines.append(f"slower than the original: {', '.join(slower[:_MAX_SLOWER])}")
    return "\n".join(lines)


def _regression(task: ProjectTask, timed: Timed) -> str:
    """Benchmarks slower by more than the task allows; "" if none."""
    margin = task.benchmark.no_regression
    slower = [] if margin is None else timed.slower(margin)
    return f"a benchmark became slower: {', '.join(slower[:_MAX_SLOWER])}" if slower else ""


def _ends(stdout: bytes, complained: str) -> str:
    """End of standard output, where tests report, and of other output; failures only."""
    printed = without_passed(stdout.decode("utf-8", "replace")).strip()[-2000:]
    return printed if complained in printed else f"{printed}\n{complained}".strip()


def _failing(task: ProjectTask, failed: CandidateFailedError) -> FailingProjectError:
    """The error of a project that fails as it is, with a hint."""
    status = failed.evaluation.status.replace("_", " ")
    return FailingProjectError(
        f"task {task.name!r}: the project as it is fails ({status}): {failed.evaluation.details}"
        f"{_more_of(failed, task)}",
        failed.stage,
    )


def _more_of(failed: CandidateFailedError, task: ProjectTask) -> str:
    """Hint for a missing file or command, the network or an exceeded limit; "" if none of them."""
    wrote, status = failed.evaluation.feedback, failed.evaluation.status
    left = Snapshot.of(task.folder, include=task.patterns.include).left_out
    if outside := next((one for one in left if one in wrote or f"{one[:-1]}:" in wrote), ""):
        return f'\n{outside} is left out, by git; include = ["{outside}"] in task.toml brings it'
    if hint := missing(wrote):
        return f"\n{hint}"
    if "Read-only file system" in wrote:
        return (
            "\na benchmark sees the project read-only: name the file by outputs under [bench] of "
            "task.toml (--outputs of init), or set writable = true there"
        )
    if status not in (Status.OUT_OF_MEMORY, Status.TIMEOUT):
        return ""
    key = "memory_mb" if status is Status.OUT_OF_MEMORY else failed.stage
    return f"\n{key} under [limits] of task.toml gives it more" + (
        ", as does --timeout of init" if key == "bench" else ""
    )
