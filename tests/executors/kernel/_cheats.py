"""A suite of cheating kernels, each with an honest twin, judged as candidates are.

``cheats/NAME.py`` is both: it leaves out its trick where ``work.py`` says that it is honest. Its
first line says of which kind the cheat is, for which of the tasks in ``cheats/tasks`` ("waves"
unless it says otherwise), and the verdicts that it may get:

    '''late work: WRONG_ANSWER | SUSPECT. Returns at once and leaves the work to a thread.'''
    '''lower precision on shares, needs cuda: WRONG_ANSWER. ...'''
    '''work that changes nothing on branch, known limit: WRONG_ANSWER. ...'''

A known limit is not caught, and named in docs/manual/tasks.md.

A cheat whose answers are wrong has escaped when it is found ``OK``. One that may be found ``OK``
gives right answers, and tries to have its work not counted or the reference slowed: it has escaped
when it scores :data:`GAIN` times what an honest kernel does. The tasks are such that success would
show a factor of ten and more. All are to be run in a sandbox that isolates, and nowhere else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from maxcode.evaluation import Evaluation, Status
from maxcode.executors.kernel.executor import KernelExecutor
from maxcode.measure.rounds import Plan
from maxcode.program import Program
from maxcode.sandbox.base import Sandbox
from maxcode.tasks.kernel import KernelJudging, KernelTask, Variant

FOLDER = Path(__file__).with_name("cheats")
BRIEF = Plan(least=3, most=3)
GAIN = 3.0
"""More than noise shows in a few rounds, and far less than a cheat that works."""

_SHARED = "work.py"
_USUAL = {"get_inputs": "[torch.randn(ROWS, COLUMNS)]", "get_init_inputs": "[COLUMNS]"}
"""Functions that a task need not define."""
_KNOWN = """

def get_inputs():
    return [torch.randn(ROWS, COLUMNS, generator=torch.Generator().manual_seed(7))]
"""
"""Makes the task "waves" the task "known", whose inputs are the same for every seed."""
_HEADER = re.compile(
    r'"""(?P<kind>[a-z -]+?)(?: on (?P<task>[a-z]+))?(?P<cuda>, needs cuda)?'
    r"(?P<limit>, known limit)?: "
    r"(?P<verdicts>[A-Z_]+(?: \| [A-Z_]+)*)\. (?P<what>[A-Z].*\.)(?:\"\"\")?"
)
_ODD = Variant("odd", (("ROWS", 7),), "mixed-scale")
_EVEN = Variant("even", (("ROWS", 6),), "mixed-scale")
_MEMORY = 1 << 30
_THREADS = 2


class TaskWithFiles(KernelTask):
    """A task whose candidates may add files, such as the module that cheats share."""

    def forbidden_changes(self, program: Program) -> list[str]:
        """None."""
        return []


@dataclass(frozen=True)
class Case:
    """A cheat, its twin, and what is to become of the two."""

    name: str
    kind: str
    what: str
    task: KernelTask
    cheat: Program
    honest: Program
    allowed: frozenset[Status]
    cuda: bool
    limit: bool


@dataclass(frozen=True)
class Outcome:
    """Verdicts of a case."""

    case: Case
    cheat: Evaluation
    honest: Evaluation | None
    """None where the twin was not judged."""

    @property
    def gain(self) -> float:
        """How many times more than an honest kernel it scores, which is at least the reference."""
        return self.cheat.reward / max(1.0, self.honest.reward if self.honest else 1.0)

    @property
    def escaped(self) -> bool:
        """Whether the cheat got what it wanted."""
        wrong = Status.OK not in self.case.allowed
        return self.cheat.ok and (wrong or self.gain >= GAIN)

    @property
    def caught(self) -> bool:
        """Whether it failed, and the verdict is one of those that it may get."""
        return self.cheat.status in self.case.allowed and not self.escaped

    @property
    def false_alarm(self) -> bool:
        """Whether its twin was judged and not found right."""
        return self.honest is not None and not self.honest.ok


def load(*, cuda: bool = False) -> list[Case]:
    """The whole suite, but for what needs a GPU unless ``cuda``."""
    references = {path.stem: path.read_text() for path in (FOLDER / "tasks").glob("*.py")}
    references["known"] = references["waves"] + _KNOWN
    tasks = {name: _task(name, text) for name, text in references.items()}
    paths = sorted(path for path in FOLDER.glob("*.py") if path.name != _SHARED)
    cases = [_case(path, tasks) for path in paths]
    return [case for case in cases if cuda or not case.cuda]


def judge(
    cases: Sequence[Case],
    sandbox: Sandbox,
    report: Callable[[Outcome], None] = lambda _: None,
    twins: int = 1,
) -> Mapping[str, Outcome]:
    """Judge all by one executor; outcomes by name. One is loaded while another is timed.

    Of the twins each ``twins``-th is judged.
    """
    outcomes: dict[str, Outcome] = {}
    with (
        KernelExecutor(sandbox, score=BRIEF, confirm=BRIEF) as executor,
        ThreadPoolExecutor(_THREADS) as pool,
    ):

        def judged(case: Case) -> Outcome:
            with_twin = cases.index(case) % twins == 0
            honest = executor.evaluate(case.task, case.honest) if with_twin else None
            return Outcome(case, executor.evaluate(case.task, case.cheat), honest)

        for outcome in pool.map(judged, cases):
            outcomes[outcome.case.name] = outcome
            report(outcome)
    return outcomes


def _case(path: Path, tasks: Mapping[str, KernelTask]) -> Case:
    header = _HEADER.match(path.read_text())
    if header is None:
        raise ValueError(f"{path} does not begin with its kind and verdicts")
    task = tasks[header["task"] or "waves"]
    return Case(
        path.stem,
        header["kind"],
        header["what"],
        task,
        _program(path, task, honest=False),
        _program(path, task, honest=True),
        frozenset(Status[one] for one in header["verdicts"].split(" | ")),
        header["cuda"] is not None,
        header["limit"] is not None,
    )


def _program(path: Path, task: KernelTask, *, honest: bool) -> Program:
    shared = (FOLDER / _SHARED).read_text().replace("HONEST = False", f"HONEST = {honest}")
    files = {"kernel.py": path.read_text(), _SHARED: f"{shared}\n\n{task.reference}"}
    return Program(files, "kernel.py")


def _task(name: str, reference: str) -> KernelTask:
    for function, value in _USUAL.items():
        if f"def {function}" not in reference:
            reference += f"\n\ndef {function}():\n    return {value}\n"
    judging = KernelJudging(
        timeout=2.0,
        memory=_MEMORY,
        train=name in ("factors", "norms", "shares", "steps"),
        variants=(Variant("timed"), _EVEN if name == "norms" else _ODD),
    )
    backward = name in ("losses", "tokens")
    return TaskWithFiles(name, "", reference=reference, judging=judging, backward=backward)
