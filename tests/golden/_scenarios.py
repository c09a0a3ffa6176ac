"""The runs that golden journals hold: together they have every kind of event, and every field.

Each is made in the store that it is given; ``folder`` is for its files. Programs are texts that
begin with their speedup, or with the status that they end with, as in ``maxcode.testing``.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from random import Random
from textwrap import dedent

import sqlalchemy as sa
from tests.golden._command import maxcode
from tests.golden._place import ROOT
from tests.golden._plugins import DEATH

from maxcode import (
    Baseline,
    BestOfN,
    Budget,
    Comparison,
    Cost,
    Critic,
    Critique,
    Evaluation,
    Expansion,
    Generator,
    Journal,
    Measurement,
    Mixture,
    ModelGenerator,
    Observation,
    Observe,
    Options,
    Profile,
    Program,
    ProgramTask,
    Proposal,
    RewardToGo,
    Search,
    SearchPolicy,
    SearchTree,
    Status,
    Step,
    Task,
    Value,
)
from maxcode.budget import Answer, Call, Stop
from maxcode.errors import ExecutorError
from maxcode.evaluation import (
    Counterexample,
    Drawn,
    FuzzPlan,
    FuzzResult,
    HeldOut,
    HotFunction,
    HotLine,
    Interval,
    KernelUse,
    Roofline,
)
from maxcode.journal.state import RunState
from maxcode.journal.store import leases
from maxcode.tasks import TestCase, save_task
from maxcode.testing import (
    ScriptedCritic,
    ScriptedExecutor,
    ScriptedGenerator,
    ScriptedModel,
    toy_search,
    toy_task,
    toy_verdict,
)
from maxcode.trainer import Example, Trainer

GO_ON = Budget(evaluations=36, tokens=100_000, dollars=5.0, seconds=3600.0)
"""The budget with which :func:`every_role` is gone on with."""

LANDSCAPE = (
    *("landscape:seed=3,size=6", "--generator", "tests.golden._plugins:Mortal"),
    *("--critic", "landscape:accuracy=0.9", "--reward-to-go", "random:seed=4", "--propose", "3"),
    *("--run", "2", "--explore", "0.25", "--policy", "maxcode:k=2", "--seed", "7", "--rtg-guard"),
    *("--budget", "evaluations=6,tokens=1000,usd=1,seconds=100000"),
)
"""Arguments of the run that was killed."""

COMPARISON = (
    *("landscape:seed=2,size=5", "--generator", "landscape", "--critic", "landscape"),
    *("--policy", "maxcode-greedy:k=2", "--budget", "evaluations=2", "--seeds", "1"),
)
"""Arguments of the comparison."""

_SLOW = """\
    #include <iostream>
    int main() {
        long n, sum = 0;
        std::cin >> n;
        for (long i = 1; i <= n; i++) {
            sum += i;
            std::cout << sum << std::endl;
        }
    }
    """


# -- a run in which everything happens -----------------------------------------------------------


class _Planned(SearchPolicy):
    """Expansions from a list; then it returns another step than the best."""

    observe = Observe()
    plan = (
        Expansion(0, 2, profile=True),
        Expansion(1, 3, exemplars=(2,), profile=True),
        Expansion(2, 4, exemplars=(0, 1)),
        Expansion(1, 2),
    )

    def ask(self, tree: SearchTree, rng: Random) -> list[Expansion]:
        following = self.plan[tree.expansions : tree.expansions + 1]
        return [one for one in following if max(one.parent, *one.exemplars, 0) < len(tree)]

    def returned(self, tree: SearchTree) -> int:
        others = (step.id for step in tree if step.evaluation.ok and step.id != tree.best.id)
        return sorted(others)[1]


_BATCHES = (
    ("1.5 unrolled", "1.25 vectorised", ""),
    ("3.0 lucky", "1.5 unrolled", "wrong_answer", ""),
    ("2.0 tiled", "suspect", "infrastructure", "out_of_memory", "runtime_error"),
    ("4.0 flaky", '2.5 fused \\ "é" % :x 😀', "0.5"),
)
"""Proposals of each expansion; an empty text is an answer without a program."""


def _call(model: str, prompt: str, sample: int = 0, dollars: float | None = None) -> Call:
    request = sha256(prompt.encode()).hexdigest()
    return Call(model, request, sample, input=120, output=40, seconds=1.25, dollars=dollars)


class _Paid(Generator):
    """Proposes the batches, each a sample of one request that is paid for."""

    def propose(self, observation: Observation, n: int) -> list[Proposal]:
        prompt = f"expansion {observation.number}: make {observation.step.program.code} larger"
        if not observation.number:
            lost = _call("scripted:large", prompt, 99, 0.001)
            lost = replace(lost, output=0, problem="overloaded")
            observation.transcript.keep(Answer("", lost), prompt)
        batch = _BATCHES[observation.number][:n]
        return [self._proposal(observation, prompt, i, text) for i, text in enumerate(batch)]

    def _proposal(self, seen: Observation, prompt: str, sample: int, text: str) -> Proposal:
        known = seen.transcript.find(sha256(prompt.encode()).hexdigest(), sample)
        call = replace(
            _call("scripted:large", prompt, sample, 0.0125),
            cached=60,
            written=20,
            thinking=10,
            attempts=2,
            saved=0.0005,
            estimated="output" if sample else "",
        )
        stop = Stop.END if text else Stop.REFUSED if sample == 3 else Stop.LENGTH
        answer = known or Answer(f"Summary: try {text}\n{text}", call, stop)
        if not known:
            seen.transcript.keep(answer, prompt)
        return Proposal(
            seen.step.program.with_code(text) if text else None,
            summary=f"try {text}" if text else "",
            tags=("by:large", "sample") if sample % 2 else ("by:large",),
            problem="" if text else "the answer holds no program",
            prompt=prompt,
            answer=answer.text,
            cost=answer.call.cost,
            call=answer.call,
        )

    def cost_ceiling(self, observation: Observation, n: int) -> Cost:
        return Cost(tokens=400 * (n + 1), dollars=0.02 * (n + 1))


class _Diagnosing(Critic):
    """Says in all fields what it has to say, for money."""

    def critique(self, observation: Observation, step: Step) -> Critique:
        prompt = f"what holds {step.program.code} back?"
        answer = Answer("It waits for memory.", _call("scripted:small", prompt, dollars=0.0005))
        most = self.cost_ceiling(observation, step)
        asked = ("scripted:small", answer.call.request, [0])
        observation.transcript.sending(*asked, most, prompt)
        observation.transcript.keep(answer, prompt)
        return Critique(
            f"{answer.text} ({step.program.code})",
            bottleneck="memory",
            evidence="9 of 10 cycles",
            suggestions=("read less", "read once"),
            cost=answer.call.cost,
        )

    def cost_ceiling(self, observation: Observation, step: Step) -> Cost:
        return Cost(tokens=500, dollars=0.01)


class _Estimating(RewardToGo):
    """Likes what was proposed first, with a distribution, for money."""

    def predict(self, observation: Observation, programs: Sequence[Program]) -> list[Value]:
        prompt = f"how far do {', '.join(program.code for program in programs)} lead?"
        answer = Answer("B", _call("scripted:judge", prompt, dollars=0.0001))
        observation.transcript.keep(answer, prompt)
        costs = [answer.call.cost, *[Cost()] * len(programs)]  # the first pays for all
        return [
            Value(4 - index / 8, (0.125, 0.625, 0.25), costs[index])
            for index, _ in enumerate(programs)
        ]

    def cost_ceiling(self, observation: Observation, n: int) -> Cost:
        return Cost(tokens=200 * n, dollars=0.001 * n)


class _Judging(ScriptedExecutor):
    """Measures two things, and says all that an executor may say."""

    def prepare(self, task: Task) -> Baseline:
        return Baseline(
            _samples(1.0),
            note="scripted: median of 3 rounds",
            seconds=0.5,
            noise=0.01,
            machine="a made-up processor\n4 cores",
        )

    def evaluate(self, task: Task, program: Program, **_: object) -> Evaluation:
        found = replace(super().evaluate(task, program), seconds=0.25)
        if found.speedup is None:
            return replace(found, details=f"expected 42, and it printed {program.code}")
        return replace(
            found,
            speedup=replace(found.speedup, level=0.99),
            measurements=_samples(1 / found.reward),
            reference=_samples(1.0),
            against=task.baseline.digest if program.code.endswith("tiled") else "",
        )

    def compare(self, task: Task, a: Program, b: Program, **_: object) -> Comparison:
        found = replace(super().compare(task, a, b), seconds=0.75)
        if found.ratio is None:
            return found
        return replace(found, ratio=replace(found.ratio, level=0.9995))


def _samples(seconds: float) -> tuple[Measurement, ...]:
    return (
        Measurement("wall", "s", tuple(seconds * x for x in (1.0, 1.0625, 0.9375))),
        Measurement("peak_memory", "B", (4096.0,)),
    )


def _truth(program: Program) -> float | Status | Evaluation:
    """Findings of comparisons: luck does not last, and one program fails."""
    if program.code == "3.0 lucky":
        return 0.9
    return Status.RUNTIME_ERROR if program.code == "4.0 flaky" else toy_verdict(program)


def _profiled(program: Program) -> Profile | None:
    """Everything that a profile may hold, of the baseline; of one program there is none."""
    if program != toy_task().baseline:
        return None if program.code.endswith("unrolled") else Profile(f"hot: {program.code}")
    return Profile(
        f"hot: {program.code}",
        lines=(HotLine("number.txt", 1, 0.75, program.code, (("memcpy", 0.5),), "main"),),
        peak_memory=4096.0,
        memory_integral=0.5,
        instructions=1_000_000,
        allocations=3,
        functions=(HotFunction("main", 0.25, 1.0, 1, own=True, recursive=True),),
        seconds=0.001,
        launches=2,
        allocated=512.0,
        kernels=(
            KernelUse("triton_add", 32, 1024, spilled=8, grid=(16, 1, 1), block=(256, 1, 1)),
            KernelUse("never_started", 16, 0),
        ),
        roofline=Roofline(1 << 20, 1 << 22, 1e11, 1e13, "float16"),
    )


def every_role(store: str, folder: Path) -> None:
    """Every role is played and paid; it is interrupted, gone on with, and returns another step."""

    def search(journal: Journal, run: str | None, budget: Budget) -> Search:
        return Search(
            toy_task(),
            generator=_Paid(),
            executor=_Judging(toy_verdict, truth=_truth, profiles=_profiled),
            policy=_Planned(),
            critic=_Diagnosing(),
            reward_to_go=_Estimating(),
            budget=budget,
            journal=journal.run(run) if run else journal,
            options=Options(
                seed=11,
                gamma=0.875,
                in_flight=2,
                threads=1,
                propose=3,
                run=2,
                explore=0.5,
                attempts=5,
                retries=1,
                patience=7,
                recipe={"made by": "a golden run", "numbers": [1, 2.5, None, True]},
            ),
        )

    with Journal.open(store) as journal:
        first = search(journal, None, Budget(12, 50_000, 2.5, 1800.0))
        steps = first.steps()
        for step in steps:
            if step.id == 3:
                break
        steps.close()
        search(journal, first.run_id, GO_ON).run()


# -- further inputs ------------------------------------------------------------------------------


def _fuzzed(program: Program, plan: FuzzPlan) -> FuzzResult:
    """One program cannot be tried, one is wrong, the others agree."""
    if program.code == "1.5":
        return FuzzResult(rejected=40, why="of 40 inputs made, none counts", seconds=0.5)
    found = FuzzResult(plan.count + len(plan.known), 7, learned="n: integer 1 to 9", seconds=2.25)
    if program.code != "4.0":
        return found
    differing = Counterexample("-1\n", expected="1", actual="-1 é")
    return replace(found, agreed=12, problem="wrong on -1", counterexample=differing)


def _held_out(program: Program) -> HeldOut:
    """One program is wrong there, the other has another speedup."""
    if program.code == "3.0":
        differing = Counterexample("base64:AAH/", expected="1", actual="it ended with status 1")
        return HeldOut(None, 6, problem="wrong there", seconds=0.5, counterexample=differing)
    return HeldOut(Interval(1.25, 1.125, 1.5, 0.9995), 6, _samples(0.8), _samples(1.0), "", 8.5)


def further(store: str, folder: Path) -> None:
    """A program is found wrong before its promotion, another one at the end."""
    with Journal.open(store) as journal:
        search = Search(
            toy_task(),
            generator=ScriptedGenerator(["1.5", "2.0", "4.0", "3.0"]),
            executor=ScriptedExecutor(toy_verdict, fuzzed=_fuzzed, held_out=_held_out),
            policy=BestOfN(batch=1, n=4),
            options=Options(seed=3, threads=1, fuzz=50),
            journal=journal,
        )
        assert search.run().program.code == "2.0"


def failing(store: str, folder: Path) -> None:
    """A generator fails after two that gained; the best is confirmed for the time being."""

    class Drawing(ScriptedExecutor):
        """Says what its comparisons drew, and what they could not."""

        def compare(self, task: Task, a: Program, b: Program, **_: object) -> Comparison:
            drawn = Drawn(8, 0.0125, note="on the tests' own inputs alone: there are no others")
            return replace(super().compare(task, a, b), drawn=drawn)

    def propose(seen: Observation, n: int) -> list[str]:
        if seen.number == 2:
            raise RuntimeError("no more")
        return [str(2.0 * (seen.number + 1))]

    with Journal.open(store) as journal:
        search = Search(
            toy_task(),
            generator=ScriptedGenerator(propose),
            executor=Drawing(toy_verdict),
            policy=BestOfN(batch=1, n=3),
            options=Options(seed=3, threads=1),
            journal=journal,
        )
        with suppress(RuntimeError):
            search.run()


def trained(store: str, folder: Path) -> None:
    """Weights are trained after each expansion, and rolled back when the reward falls."""

    class Weights(Trainer):
        """Named by a number."""

        def train(self, examples: Sequence[Example], seed: int) -> str:
            return f"weights-{len(examples)}-{examples[0].step.id}"

        def restore(self, checkpoint: str) -> None:
            """Nothing: the script goes on."""

    class Asking(BestOfN):
        """Asks for critiques that are not shown otherwise."""

        def ask(self, tree: SearchTree, rng: Random) -> list[Expansion]:
            return [replace(one, critique=True) for one in super().ask(tree, rng)]

    with Journal.open(store) as journal:
        Search(
            toy_task(),
            generator=ScriptedGenerator(["2.0", "3.0", "0.5"]),
            executor=ScriptedExecutor(toy_verdict),
            critic=ScriptedCritic(),
            policy=Asking(batch=1, n=3),
            options=Options(seed=3, threads=1, trainer=Weights()),
            journal=journal,
        ).run()


# -- models --------------------------------------------------------------------------------------


def models(store: str, folder: Path) -> None:
    """A model without a price; then a mixture, for which its answers are used again.

    The second run fails: its executor does not know what to say.
    """

    def answer(_: object, sample: int) -> str:
        return f"Summary: larger\n```\n{2 + sample / 8}\n```\n"

    model = ModelGenerator(ScriptedModel(answer, name="scripted:model", max_tokens=64))
    mixture = Mixture(
        {"model": model, "free": ScriptedGenerator(["1.75"])}, {"model": 3, "free": 1}
    )
    with Journal.open(store) as journal:
        for generator, verdicts in ((model, toy_verdict), (mixture, {"1.75": 1.75})):
            search = Search(
                toy_task(),
                generator=generator,
                executor=ScriptedExecutor(verdicts),
                policy=BestOfN(n=2),
                budget=Budget(evaluations=4),
                options=Options(
                    seed=2,
                    threads=1,
                    observe=Observe(critique=False),
                    cache=True,
                    commit_order="completed",
                ),
                journal=journal,
            )
            with suppress(ExecutorError):
                search.run()


# -- a best program that is reduced --------------------------------------------------------------


def reduction(store: str, folder: Path) -> None:
    """A program of which two lines gain, one is needed by the first, and one is left out."""
    winner = {"_3": "fast", "_12": "useless", "_20": "needed", "_27": "better"}
    lines = [f"line {number}" for number in range(30)]

    def program(**changed: str) -> Program:
        text = "".join(f"{changed.get(f'_{n}', line)}\n" for n, line in enumerate(lines))
        return Program.of(text, "lines.txt")

    def verdict(program: Program) -> float | Status:
        if ("fast" in program.code) != ("needed" in program.code):
            return Status.BUILD_ERROR
        gain = 2.0 if "fast" in program.code else 1.0
        return gain * (1.5 if "better" in program.code else 1.0)

    class Slow(ScriptedExecutor):
        """Says how long it took, and measures what it says."""

        def evaluate(self, task: Task, program: Program, **_: object) -> Evaluation:
            return replace(super().evaluate(task, program), seconds=0.25)

        def compare(self, task: Task, a: Program, b: Program, **_: object) -> Comparison:
            return replace(super().compare(task, a, b), seconds=0.5)

    with Journal.open(store) as journal:
        search = Search(
            Task("lines", "Make them fast.", program()),
            generator=ScriptedGenerator([[program(**winner)]]),
            executor=Slow(verdict, fuzzed=_fuzzed),
            policy=BestOfN(n=1, batch=1),
            budget=Budget(seconds=3600),
            options=Options(seed=1, threads=1),
            journal=journal,
        )
        assert search.run().best.reduced_from == 1


# -- runs that were killed -----------------------------------------------------------------------


def killed(store: str, folder: Path) -> None:
    """``toy_search``, killed in the fifth call of its generator."""
    script = ROOT / "tests" / "search" / "search_to_kill.py"
    command = [sys.executable, str(script), store, "new", str(folder / "calls"), "calls:5"]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL


def resumed(store: str, folder: Path) -> None:
    """``toy_search``, killed likewise a while after its last event, and gone on with."""
    killed(store, folder)
    with Journal.open(store) as journal:
        log = journal.run("last")
        state = RunState.load(log)
        last = list(log.events())[-1]
        assert last.elapsed is not None
        with journal.store.transaction() as connection:
            beat = sa.update(leases).where(leases.c.name == log.run_id)
            connection.execute(beat.values(elapsed=last.elapsed + 0.25))
        assert not state.stopped
        toy_search(journal=log, budget=Budget(evaluations=14)).run()


def landscape(store: str, folder: Path) -> None:
    """A run of the command line, killed in its second expansion."""
    script = "import sys; from tests.golden._command import app; app()(sys.argv[1:])"
    command = [sys.executable, "-c", script, "optimize", *LANDSCAPE, "--store", store]
    done = subprocess.run(command, check=False, cwd=ROOT, env={**os.environ, DEATH: "1"})
    assert done.returncode == -signal.SIGKILL


# -- the command line ----------------------------------------------------------------------------


def comparison(store: str, folder: Path) -> None:
    """A comparison of two methods on a landscape."""
    done = maxcode("compare", *COMPARISON, "--store", store)
    assert done.returncode == 0, done.stderr


def cpp(store: str, folder: Path) -> None:
    """A C++ program, really built, measured and profiled."""
    expected = "".join(f"{n * (n + 1) // 2}\n" for n in range(1, 20001))
    task = ProgramTask(
        "sums",
        "Print the sums of the first numbers.",
        Program.of(dedent(_SLOW)),
        tests=(TestCase("001", b"20000\n", expected.encode()),),
    )
    save_task(task, folder / "sums")
    candidates = folder / "pool"
    candidates.mkdir()
    (candidates / "newlines.cpp").write_text(task.baseline.code.replace("std::endl", "'\\n'"))
    (candidates / "wrong.cpp").write_text(task.baseline.code.replace("i <= n", "i < n"))
    done = maxcode(
        *("optimize", folder / "sums", "--generator", f"pool:folder={candidates}"),
        *("--critic", "profile", "--policy", "best-of-n"),
        *("--observe", "critique", "--sandbox", "process", "--meter", "cpu", "--json"),
        *("--budget", "evaluations=2", "--out", folder / "sums.fast.cpp", "--store", store),
    )
    assert json.loads(done.stdout)["best"]["confirmed"], done.stderr
