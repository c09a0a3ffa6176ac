"""Kernels as files for KernelBench's own evaluation."""

from dataclasses import replace
from pathlib import Path

from maxcode.budget import Budget
from maxcode.comparison.kernelbench import write_kernels
from maxcode.comparison.method import Method
from maxcode.comparison.running import compare
from maxcode.evaluation import Status
from maxcode.interfaces import Proposal
from maxcode.journal.journal import Journal
from maxcode.policies.best_of_n import BestOfN
from maxcode.program import Program
from maxcode.testing import ScriptedExecutor, ScriptedGenerator, toy_task
from maxcode.testing.scripted import Verdict


def verdict(program: Program) -> Verdict:
    speedup, problem = program.code.split()
    return Status.WRONG_ANSWER if problem == "wrong" and speedup != "1.0" else float(speedup)


def test_a_kernel_is_named_by_its_problem_and_a_wrong_one_is_none(
    journal: Journal, tmp_path: Path
) -> None:
    problems = {"level1/1_Right": "right", "level2/2_Wrong": "wrong"}
    contest = compare(
        [Method("best-of-n", BestOfN())],
        [
            replace(toy_task(), name=name, baseline=Program.of(f"1.0 {text}", "number.txt"))
            for name, text in problems.items()
        ],
        generator=ScriptedGenerator(
            lambda seen, n: (
                [
                    Proposal(
                        seen.step.program.with_code(seen.step.program.code.replace("1.0", "2.0"))
                    )
                ]
                * n
            )
        ),
        executor=ScriptedExecutor(verdict),
        budget=Budget(evaluations=1),
        seeds=1,
        journal=journal,
    )
    (place,) = write_kernels(contest, journal, tmp_path)
    assert place == tmp_path / "best-of-n-seed0"
    (kernel,) = place.iterdir()
    assert kernel.name == "level_1_problem_1_sample_0_kernel.py"
    assert kernel.read_text() == "2.0 right"
