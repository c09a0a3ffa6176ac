"""`maxcode store efficiency`: Effi-Learner's metrics of runs, as tables and as JSON."""

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from tests._runs import begun

from maxcode.budget import Budget
from maxcode.executors.cpp.executor import CppExecutor
from maxcode.journal.journal import Journal
from maxcode.measure.rounds import Plan
from maxcode.options import Options
from maxcode.policies.best_of_n import BestOfN
from maxcode.sandbox.process import ProcessSandbox
from maxcode.search.search import Search
from maxcode.tasks.cpp import load_cpp_folder
from maxcode.testing import ScriptedGenerator

Command = Callable[..., "CompletedProcess[str]"]

STORE = ("--store", "runs.db")
LANDSCAPE = ("landscape:size=6", "--generator", "landscape", "--budget", "evaluations=2")


@pytest.fixture
def simulated(inside: Command) -> str:
    """The id of a run in which nothing was measured but a score."""
    done = inside("optimize", *LANDSCAPE, *STORE, "--json")
    return str(json.loads(done.stdout)["run_id"])


@pytest.fixture
def measured(folder: Path, task: Path) -> None:
    """A run of a real program, of which little is measured."""
    brief = Plan(least=8, most=24, precision=0.5)  # a gain of 3 is told on a busy machine, too
    program = load_cpp_folder(task)
    with (
        Journal.open(folder / "runs.db") as journal,
        CppExecutor(ProcessSandbox(), score=brief, confirm=brief) as executor,
    ):
        Search(
            program,
            generator=ScriptedGenerator([program.baseline.code.replace("10000000", "3000000")]),
            executor=executor,
            policy=BestOfN(batch=1),
            budget=Budget(evaluations=1),
            journal=journal,
            options=Options(fuzz=0, minimise=0),
        ).run()


@pytest.mark.slow
@pytest.mark.usefixtures("measured")
def test_a_program_has_all_figures_and_a_simulation_none(inside: Command, simulated: str) -> None:
    told = inside("store", "efficiency", "--all", *STORE, COLUMNS="80")
    assert told.returncode == 0, told.stderr
    assert all(len(line) <= 80 for line in told.stdout.splitlines())
    for text in ("NET", "NMU", "NTMU", "mean of ratios", "ratio of totals", "ET: cpu time"):
        assert text in told.stdout
    assert "1 run measured by simulated: no ET, MU, TMU" in told.stdout
    document = json.loads(
        inside("store", "efficiency", "doubling", simulated[:-2], "--json", *STORE).stdout
    )
    program, simulation = document["runs"]
    assert (program["task"], program["clock"], program["samples"]) == (
        "doubling", "cpu", "comparison",
    )  # fmt: skip
    assert None not in {*program["program"].values(), *program["baseline"].values()}
    assert simulation["run_id"] == simulated
    assert set(simulation["program"].values()) == {None}
    for kind, unit in (
        ("time", "cpu_seconds"),
        ("peak_memory", "peak_bytes"),
        ("memory_integral", "integral_mb_s"),
    ):
        ratio = program["program"][unit] / program["baseline"][unit]
        assert document[kind]["mean_of_ratios"]["value"] == pytest.approx(ratio)
        assert document[kind]["ratio_of_totals"] == pytest.approx(ratio)
        assert (document[kind]["runs"], document[kind]["missing"]) == (1, 1)
    document = json.loads(
        inside("store", "efficiency", "doubling", "--clock", "wall", "--json", *STORE).stdout
    )
    assert document["runs"][0]["clock"] == "wall"
    assert document["time"]["program"] == program["program"]["wall_seconds"]


@pytest.mark.usefixtures("simulated")
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("nothing",), "no run 'nothing' in"),
        (("last", "--all"), "--all means every run of the store"),
        (("--clock", "sundial"), "--clock is cpu or wall, not 'sundial'"),
    ],
)
def test_wrong_use_is_told(inside: Command, arguments: tuple[str, ...], told: str) -> None:
    done = inside("store", "efficiency", *arguments, *STORE)
    assert done.returncode == 2
    assert told in " ".join(done.stderr.split())
    assert done.stdout == ""


def test_runs_without_a_baseline_are_left_out_of_all(inside: Command, folder: Path) -> None:
    with Journal.open(folder / "runs.db") as journal:
        early = begun(journal).run_id
    done = inside("store", "efficiency", "--all", *STORE)
    assert done.returncode == 2
    assert f"left out: run {early} stopped before its baseline" in " ".join(done.stderr.split())
    assert "has measured its baseline yet" in " ".join(done.stderr.split())
