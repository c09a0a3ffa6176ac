"""Files for KernelBench's scripts, and what those compute of them."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from maxcode.budget import Budget
from maxcode.comparison.contest import Contest
from maxcode.comparison.kernelbench import write_kernelbench
from maxcode.comparison.method import Method
from maxcode.comparison.running import compare
from maxcode.evaluation import Status
from maxcode.interfaces import Proposal
from maxcode.journal.journal import Journal
from maxcode.observation import Observation
from maxcode.policies.best_of_n import BestOfN
from maxcode.program import Program
from maxcode.task import Task
from maxcode.testing import ScriptedExecutor, ScriptedGenerator, toy_task
from maxcode.testing.scripted import Verdict

FAST, WRONG, BROKEN = "2.0", "wrong_answer", "build_error"


def task(name: str) -> Task:
    """A task whose program says its own name behind its speedup."""
    return replace(toy_task(), name=name, baseline=Program.of(f"1.0 {name}", "number.txt"))


def answers(observation: Observation, n: int) -> list[Proposal]:
    """One right and one wrong program, of problem 3 only what does not build."""
    base = observation.task.baseline
    texts = [BROKEN] if "/3_" in observation.task.name else [FAST, WRONG]
    if "/2_" in observation.task.name:
        texts = [WRONG]
    return [Proposal(base.with_code(f"{text} {base.code}")) for text in texts][:n]


def verdict(program: Program) -> Verdict:
    word = program.code.split()[0]
    return Status(word) if word in list(Status) else float(word)


@pytest.fixture
def contest(journal: Journal) -> Contest:
    """Best-of-N on three problems: one that it solves, one wrongly, one not at all."""
    return compare(
        [Method("best-of-n", BestOfN())],
        [task("level1/1_Right"), task("level1/2_Wrong"), task("level1/3_Broken")],
        generator=ScriptedGenerator(answers),
        executor=ScriptedExecutor(verdict),
        budget=Budget(evaluations=2),
        seeds=1,
        journal=journal,
    )


def theirs(folder: Path, count: int) -> list[float]:
    """fast_p as ``scripts/benchmark_eval_analysis.py`` finds it, at 0 and 1.

    It takes problems without a result for wrong, and leaves out those without a baseline time.
    """
    results = json.loads((folder / "eval_results.json").read_text())
    times = json.loads((folder / "baseline_time.json").read_text())["level1"]
    correct: list[bool] = []
    ratios: list[float] = []
    for file, time in times.items():
        rows: list[dict[str, Any]] = results.get(file.partition("_")[0], [])
        (row,) = [row for row in rows if row["sample_id"] == 0] or [{"correctness": False}]
        correct.append(row["correctness"])
        ratios.append(time["mean"] / row["runtime"] if row["correctness"] else 0.0)
    assert len(correct) == count
    return [sum(ratio > p for ratio in ratios) / count for p in (0.0, 1.0)]


def test_its_scripts_count_what_was_not_solved(
    contest: Contest, journal: Journal, tmp_path: Path
) -> None:
    (place,) = write_kernelbench(contest, journal, tmp_path)
    assert place == tmp_path / "level1" / "best-of-n-seed0"
    assert theirs(place, 3) == pytest.approx([1 / 3, 1 / 3])
    results = json.loads((place / "eval_results.json").read_text())
    told = {name: (row["compiled"], row["correctness"]) for name, (row,) in results.items()}
    assert told == {"1": (True, True), "2": (True, False), "3": (False, False)}
    assert [path.name for path in place.glob("*.py")] == ["level_1_problem_1_sample_0_kernel.py"]


def test_what_was_there_before_is_removed(
    contest: Contest, journal: Journal, tmp_path: Path
) -> None:
    write_kernelbench(contest, journal, tmp_path)
    (place,) = write_kernelbench(contest.only(["level1/2_Wrong"]), journal, tmp_path)
    assert sorted(path.name for path in place.iterdir()) == [
        "baseline_time.json",
        "eval_results.json",
    ]
    assert json.loads((place / "eval_results.json").read_text()).keys() == {"2"}
