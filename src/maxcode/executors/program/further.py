"""FurtherInputs: compares programs with the baseline on inputs beyond the tests."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import cycle, islice
from math import inf
from pathlib import Path
from random import Random
from threading import Lock
from time import monotonic

from maxcode.errors import InputError
from maxcode.evaluation import Counterexample, FuzzPlan, FuzzResult
from maxcode.executors.program.oracle import GIVEN, Oracle
from maxcode.executors.program.runner import Place, ProgramFailedError, ProgramRunner
from maxcode.fuzz import (
    Differential,
    Disagreement,
    InputModel,
    JsonModel,
    OwnInputs,
    ValidatedInputs,
    learned,
    shrunk,
)
from maxcode.program import Program
from maxcode.sandbox.base import Completed, Limits
from maxcode.tasks.program import ProgramTask, TestCase
from maxcode.text import counted

_SHOWN = 1000  # characters of an input or output in words
_BINARY = "base64:"
_LIKE_TESTS = 10  # inputs of the size of the tests, tried before all others
_LIKE_SECONDS = 0.5  # that the baseline may take for those

_HELD_OUT, _MIN_HELD_OUT = 6, 3  # inputs, and those that tell something
_SHARE_HELD_OUT = 0.5  # of the time of all tests, that they have to take
_TRIED_OUT = 10  # inputs of a task's own generator, one of which has to count
_MOST_MADE = 64 << 20  # bytes of an input that a program makes
_WITHIN = 0.7  # of the time is for inputs of the known format
_BEYOND = 0.5  # of the inputs of the known format: so many more beyond it
_SMALL = 500  # bytes of a counterexample
_ALIKE, _NEARLY_ALIKE = 1.5, 2.0  # times as long as for a test
_STARTING = 0.005  # seconds, most of which is starting the program
_RUNS = 3  # of an input that seems to take longer or shorter than a test
_DRAWS = 3  # of a held-out input, until the baseline accepts one


class FurtherInputs:
    """Makes inputs like a task's tests, and compares programs with the baseline on them.

    Safe to use from several threads, which take turns.
    """

    def __init__(self, runner: ProgramRunner, place: Place, task: ProgramTask) -> None:
        self._runner = runner
        self._place = place
        self._task = task
        self._oracle = Oracle(runner, place, task)
        inputs = tuple(test.input for test in task.tests)
        model = learned(inputs, task.statement, task.limits)
        self._model: InputModel | JsonModel | OwnInputs = self._own(model) or model
        self._pools: dict[tuple[int, bool], ValidatedInputs] = {}  # by seed, and whether beyond
        self._lock = Lock()
        self._rng = Random()  # nobody is to foresee fresh inputs
        self._seconds: list[float] = []  # that the baseline takes for each test
        self._narrow = 0  # times in turn that none did whose single numbers are far from the tests'
        self._used: set[bytes] = set()  # digests of those

    def fuzz(self, program: Program, plan: FuzzPlan) -> FuzzResult:
        """Compare a program; see :meth:`maxcode.interfaces.Fuzzes.fuzz`."""
        with self._lock:
            candidate = self._candidate(program)
            result = self._on_known(candidate, plan)
            if plan.count and result.counterexample is None:
                result = self._on_generated(candidate, plan, result.agreed)
            return result

    def held_out(self, seed: int) -> tuple[ProgramTask | None, str]:
        """The task with held-out inputs in place of its tests, or the reason there are none.

        They resemble the slowest tests, in size and about in the baseline's time. Without the
        largest most of their time would be that of starting, and any speedup near 1.
        """
        with self._lock:
            usual = self._oracle.usual
            slowest = sorted(range(len(usual)), key=lambda number: -usual[number])[:_HELD_OUT]
            made: dict[bytes, bytes] = {}
            taken, reason = 0.0, ""
            for number, like in enumerate(islice(cycle(slowest), _HELD_OUT)):
                example = self._task.tests[like].input
                for draw in range(_DRAWS):
                    data = self._model.like(example, seed=seed + _DRAWS * number + draw)
                    if data in made or self._model.beyond(data):
                        continue
                    [outcome] = self._oracle([data])
                    reason = reason or outcome.reason
                    if not outcome.ok:
                        continue
                    [answer] = self._oracle.answers([data])
                    if answer and self._as_long(like, data, answer[1], _NEARLY_ALIKE):
                        made[data] = outcome.output
                        taken += answer[1]
                        break
            wanted = _SHARE_HELD_OUT * sum(self._seconds)
        if len(made) < _MIN_HELD_OUT:
            few = f"only {counted(len(made), 'input')}" if made else "no input"
            return None, f"{few} like the tests could be made" + (f": {reason}" if reason else "")
        if taken < wanted:
            return None, "inputs like the slowest tests could not be made"
        tests = (TestCase(f"held out {n}", *one) for n, one in enumerate(made.items(), 1))
        return replace(self._task, tests=tuple(tests)), ""

    def fresh(self, times: int) -> tuple[ProgramTask | None, str]:
        """The task with fresh inputs in place of its tests, or the reason there are none.

        Each test has ``times`` inputs of its size and distribution of values, the tests in their
        order again and again. Single numbers are anywhere between the tests', unless the size
        depends on them, as time shows. Raises :class:`~maxcode.errors.InputError` if inputs of this
        size cannot be made.
        """
        with self._lock:
            made: dict[int, TestCase] = {}
            wanted, ran = dict(enumerate(times * self._task.tests)), set[int]()
            for draw in range(_DRAWS):
                wide = self._narrow < _DRAWS and draw == 0
                drawn = {n: self._unused(test.input, wide=wide) for n, test in wanted.items()}
                answers = self._oracle.answers(list(drawn.values()))
                for (number, data), answer in zip(drawn.items(), answers, strict=True):
                    alike = _ALIKE if wide else _NEARLY_ALIKE
                    if answer is None:
                        continue
                    ran.add(number)
                    if self._as_long(number, data, answer[1], alike):
                        made[number] = TestCase(f"fresh {number + 1}", data, answer[0])
                        del wanted[number]
                if wide:
                    self._narrow = 0 if made else self._narrow + 1
                if not wanted:
                    tests = tuple(made[number] for number in sorted(made))
                    return replace(self._task, tests=tests), ""
        number, test = next(iter(wanted.items()))
        problem = "takes another time for" if number in ran else "fails on"
        return None, f"the original {problem} those made like test {test.name}"

    def _as_long(self, number: int, data: bytes, seconds: float, alike: float) -> bool:
        """Whether the baseline takes about as long as for the test an input resembles.

        Unknown if starting the program is most of it. If times differ, both are run again in turn,
        since the machine may have been busy during a run.
        """
        tests = [test.input for test in self._task.tests]
        if not self._seconds:  # by the same means, on the machine as it is now
            answers = self._oracle.answers(tests)
            self._seconds = [answer[1] if answer else 0.0 for answer in answers]
        number %= len(tests)
        usual = self._seconds[number]
        if usual < _STARTING:
            return alike != _ALIKE
        for again in range(_RUNS):
            if again:
                answers = self._oracle.answers([tests[number], data])
                usual, seconds = (
                    min(before, answer[1]) if answer else before
                    for before, answer in zip((usual, seconds), answers, strict=True)
                )
            if usual / alike <= seconds <= usual * alike:
                return True
        return False

    def _unused(self, example: bytes, *, wide: bool) -> bytes:
        """A new input like an example."""
        for _ in range(2 * _DRAWS):
            data = self._model.like(example, seed=self._rng.getrandbits(64), wide=wide)
            digest = sha256(data).digest()
            if data != example and digest not in self._used:
                self._used.add(digest)
                return data
        if wide:
            return self._unused(example, wide=False)
        raise InputError("the tests leave too few inputs to make new ones")

    def wall(self, task: ProgramTask) -> list[float]:
        """Seconds of the baseline for tests made here."""
        return [self._oracle.wall[test.input] for test in task.tests]

    def differing(self, task: ProgramTask, program: Program) -> FuzzResult:
        """Compare a program with the baseline on tests made here."""
        with self._lock:
            candidate = self._candidate(program)
            for number, test in enumerate(task.tests):
                problem = candidate.problem(test.input, test.expected)
                if problem and (self._task.strict or not self._model.beyond(test.input)):
                    found = Disagreement(test.input, test.expected, problem)
                    return candidate.wrong(
                        number, shrunk(found, self._model, self._oracle, candidate)
                    )
            return FuzzResult(len(task.tests))

    def try_out(self) -> str:
        """Fault of the task's own generator; "" if none, or if some input counts."""
        if not isinstance(self._model, OwnInputs):
            return ""
        with self._lock:
            drawn = [self._model.like(self._task.tests[0].input, seed=n) for n in range(_TRIED_OUT)]
            outcomes = self._oracle(drawn)
        wrong = [one.reason for one in outcomes if not one.ok and one.reason != GIVEN]
        return wrong[0] if len(wrong) == len(drawn) else ""

    def _own(self, model: InputModel | JsonModel) -> OwnInputs | None:
        """Inputs of the task's own generator, a program in the sandbox."""
        inputs = self._task.inputs
        if inputs is None:
            return None
        program, judging = Program({inputs.name: inputs.text}, inputs.name), self._task.judging
        place = self._place.processors
        try:
            executable = self._runner.build(self._task, program, processors=place)
        except ProgramFailedError as failed:
            raise InputError(f"{inputs.name} does not build: {failed.evaluation.details}") from None
        limits = Limits(judging.timeout, judging.memory, output=_MOST_MADE, processors=place)

        def make(seeds: Sequence[int]) -> list[bytes]:
            given = [f"{seed}\n".encode() for seed in seeds]
            made: list[bytes] = []
            with closing(self._runner.on_each(executable, given, [limits] * len(given))) as ran:
                for seed, completed in zip(seeds, ran, strict=True):
                    if not completed.ok or completed.flooded:
                        cause = completed.cause
                        raise InputError(f"{inputs.name}, given the seed {seed}, {cause}")
                    made.append(completed.stdout)
            return made

        return OwnInputs(inputs.name, make, model)

    def _candidate(self, program: Program) -> _Candidate:
        processors = self._place.processors
        executable = self._runner.build(self._task, program, processors=processors)
        return _Candidate(self._runner, self._place, self._task, executable, self._oracle)

    def _on_known(self, candidate: _Candidate, plan: FuzzPlan) -> FuzzResult:
        """Compare on counterexamples of other programs."""
        agreed = 0
        for one in plan.known:
            data = as_bytes(one.input)
            expected = self._oracle.answer(data)
            if expected is None:  # such as for its time, on a busy machine
                continue
            if problem := candidate.problem(data, expected):
                return candidate.wrong(agreed, Disagreement(data, expected, problem))
            agreed += 1
        return FuzzResult(agreed)

    def _on_generated(self, candidate: _Candidate, plan: FuzzPlan, agreed: int) -> FuzzResult:
        """Compare on inputs of the known format, then in the remaining time on inputs beyond it."""
        pool, began = self._pool(plan.seed), monotonic()
        found = self._checked(pool, candidate, plan.count, _WITHIN * plan.seconds)
        least, left = min(plan.least, plan.count), plan.longest - found.seconds
        timed_out = found.timed_out
        wanting = timed_out and found.counterexample is None and found.agreed < least
        if wanting and left > 0:  # a slow original or a busy machine: few are better than none
            found = self._checked(pool, candidate, least, left)
        agreed += found.agreed
        rejected = found.rejected - pool.reasons.get(GIVEN, 0)
        if worst := found.counterexample:
            result = candidate.wrong(agreed, worst)
        else:  # where the baseline was found wrong itself, they did not agree
            agreed, rejected = agreed - candidate.unclean, rejected + candidate.unclean
            result = FuzzResult(agreed, wanted=plan.count)
            if result.few:
                result = replace(result, why=_why(pool, timed_out=timed_out))
            left = plan.seconds - (monotonic() - began)
            if self._model.known and left > 0:
                far = self._checked(
                    self._pool(plan.seed, beyond=True), candidate, int(_BEYOND * plan.count), left
                )
                if far.counterexample:
                    result = self._beyond(candidate, result, far.counterexample)
        return replace(result, rejected=rejected, learned=self._model.describe())

    def _beyond(self, candidate: _Candidate, result: FuzzResult, far: Disagreement) -> FuzzResult:
        """Result of a difference beyond the known inputs: no fault, unless the task is strict."""
        wrong = candidate.wrong(result.agreed, far)
        beyond = self._model.beyond(far.input)
        if self._task.strict or not beyond:
            return wrong
        remark = f"differs beyond your inputs: {beyond}"
        return replace(result, remark=remark, beyond=wrong.counterexample)

    def _checked(
        self, pool: ValidatedInputs, candidate: _Candidate, count: int, seconds: float
    ) -> Differential:
        self._oracle.until = monotonic() + seconds
        try:
            return pool.check(candidate, count=count, seconds=seconds)
        finally:
            self._oracle.until = inf

    def _pool(self, seed: int, *, beyond: bool = False) -> ValidatedInputs:
        """Inputs of a seed: first some of the tests' size, if quick."""
        if (seed, beyond) not in self._pools:
            first = [] if beyond else self._like_tests(seed)
            self._pools[seed, beyond] = ValidatedInputs(
                self._oracle, self._model, seed=seed, beyond=beyond, first=first
            )
        return self._pools[seed, beyond]

    def _like_tests(self, seed: int) -> list[bytes]:
        """Some inputs of the size of the tests; empty without a known structure."""
        usual = max(*self._oracle.usual, 1e-3)
        few = islice(cycle(self._task.tests), min(_LIKE_TESTS, int(_LIKE_SECONDS / usual)))
        try:
            made = [self._model.like(one.input, seed=seed + n) for n, one in enumerate(few)]
            return [data for data in made if not self._model.beyond(data)]
        except InputError:
            return []


@dataclass
class _Candidate:
    """A program to compare with the baseline."""

    _runner: ProgramRunner
    _place: Place
    _task: ProgramTask
    _executable: Path
    _oracle: Oracle
    unclean: int = 0  # inputs on which the baseline itself was found wrong
    _actual: dict[bytes, str] = field(default_factory=dict)  # where it was wrong

    def __call__(self, inputs: Sequence[bytes], expected: Sequence[bytes]) -> list[str]:
        """Problems of the inputs, up to the first."""
        problems: list[str] = []
        limits = [
            self._runner.limits(self._task, self._oracle.wall.get(data), printed, self._place)
            for data, printed in zip(inputs, expected, strict=True)
        ]
        with closing(self._runner.on_each(self._executable, inputs, limits)) as runs:
            for data, printed, limit, ran in zip(inputs, expected, limits, runs, strict=True):
                completed = self._patiently(data, limit) if ran.timed_out else ran
                problem = self._problem(data, printed, completed)
                if problem and not self._oracle.clean(data):
                    self.unclean += 1
                    problem = ""
                problems.append(problem)
                if problem:
                    self._actual[data] = _actual(completed)
                    break
        return problems

    def _patiently(self, data: bytes, limit: Limits) -> Completed:
        """Run again with more time: perhaps the machine was busy."""
        limit = replace(limit, seconds=3 * limit.seconds)
        [completed] = self._runner.on_each(self._executable, [data], [limit])
        return completed

    def problem(self, data: bytes, expected: bytes) -> str:
        """Problem of an input; "" if the program agrees with the baseline."""
        return self([data], [expected])[0]

    def wrong(self, agreed: int, found: Disagreement) -> FuzzResult:
        """Result for a program with a wrong output on an input."""
        shown, printed = _shown(found.input), _shown(found.expected)
        actual = self._actual[found.input]
        tests, size = counted(len(self._task.tests), "test"), len(found.input)
        large = f" of {size:,} bytes; no smaller one was found" if size > _SMALL else ""
        return FuzzResult(
            agreed,
            problem=f"right on {tests}, but not on a further input{large}: {found.problem}\n"
            f"input:\n{shown}\nexpected:\n{printed}\ngot:\n{actual}",
            counterexample=Counterexample(as_text(found.input), printed, actual),
        )

    def _problem(self, data: bytes, expected: bytes, completed: Completed) -> str:
        if not completed.ok or completed.flooded:
            return f"it {completed.cause}"
        checking, judging = self._runner.checking, self._task.judging
        difference = checking.difference(judging, data, expected, completed.stdout)
        return "" if difference is None else str(difference)


def as_text(data: bytes) -> str:
    """Text of an input for the journal; inverse of :func:`as_bytes`."""
    text = data.decode("utf-8", "replace")
    if text.encode() == data and not text.startswith(_BINARY):
        return text
    return _BINARY + base64.b64encode(data).decode()


def as_bytes(text: str) -> bytes:
    """Input from its text, the inverse of :func:`as_text`. Raises ValueError for other texts."""
    if text.startswith(_BINARY):
        return base64.b64decode(text.removeprefix(_BINARY), validate=True)
    return text.encode()


def _shown(data: bytes) -> str:
    text = data.decode("utf-8", "backslashreplace").rstrip("\n")
    if len(text) <= _SHOWN:
        return text
    return f"{text[:_SHOWN]}... ({len(data)} bytes in all)"


def _actual(completed: Completed) -> str:
    if completed.ok and not completed.flooded:
        return _shown(completed.stdout)
    complaint = _shown(completed.stderr.strip())
    return f"it {completed.cause}" + (f": {complaint}" if complaint else "")


def _why(pool: ValidatedInputs, *, timed_out: bool) -> str:
    """Reason for few or no inputs accepted by the baseline, and a remedy."""
    if timed_out and len(pool):
        return "there was no time for more"
    reasons = {why: count for why, count in pool.reasons.items() if why != GIVEN}
    if len(pool):
        why = "no more are made that count"
    elif reasons:
        reason = max(reasons, key=reasons.__getitem__)
        why = f"of {counted(pool.rejected, 'input')} made, none counts: {reason}"
    elif timed_out:
        return "there was no time"
    else:
        why = "nothing but the tests' own is made"
    return f"{why}; give more tests, or declare a generator: [fuzz] inputs in task.toml"
