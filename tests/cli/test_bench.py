"""`maxcode bench`: benchmarks end to end, without a model: tables, parts, files, wrong input."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests._effibench import record, written
from tests.cli.conftest import SLOW, Run

from maxcode.cli import tasks
from maxcode.sandbox.base import Sandbox

pytestmark = pytest.mark.slow


REFERENCE = """\
import torch

ROWS = 300


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.stack([row * 2 for row in x])


def get_inputs():
    return [torch.randn(ROWS, 8)]


def get_init_inputs():
    return []
"""

KERNEL = """\
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return x * 2
"""


KERNELS = "kernelbench --root . --generator proposer:Proposer"


@pytest.fixture
def pie(folder: Path) -> str:
    """Two programs in PIE's format, for each a faster and a wrong one, and how to bench them."""
    rows = []
    for problem, factor in (("p1", 2), ("p2", 3)):
        slow = SLOW.replace("n * 2", f"n * {factor}").replace("10000000", "3000000")
        rows.append(
            {"problem_id": problem, "src_id": "s1", "tgt_id": "s2", "tests": [0, 1]}
            | {"src_code": slow, "tgt_code": slow.replace("3000000", "30")}
        )
        tests, solutions = folder / "tests" / problem, folder / "solutions" / problem
        tests.mkdir(parents=True)
        solutions.mkdir(parents=True)
        for number, n in enumerate((21, -4)):
            (tests / f"input.{number}.txt").write_text(f"{n}\n")
            (tests / f"output.{number}.txt").write_text(f"{n * factor}\n")
        (solutions / "fast.cpp").write_text(slow.replace("3000000", "30"))
        (solutions / "wrong.cpp").write_text(slow.replace("n *", "n +"))
    (folder / "data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return (
        "bench pie --data data.jsonl --tests tests --sandbox process --budget evaluations=2 "
        "--generator pool:folder=solutions,by_task=true --policy best-of-n --json"
    )


def tables(printed: str) -> dict[str, Any]:
    told = json.loads(printed)
    return {key: told[key] for key in ("tables", "efficiency", "differences", "pairs")}


def test_pie_has_its_table_and_makes_no_run_twice(inside: Run, folder: Path, pie: str) -> None:
    inside(f"{pie} --store one.db", code=0)
    inside("store merge one.db --store all.db", code=0)
    done = inside(f"{pie} --store all.db", code=0, says="2 of 2 runs are in the store")
    for word in ("PIE", "best@2", "%Correct", "MaxCode", "NTMU"):
        assert word in done.stderr
    whole = tables(done.stdout)
    pie_table, maxcode_table = whole["tables"]
    rows = {row["counted"]: row["figures"] for row in pie_table["rows"]}
    assert rows["best@2"]["%Opt"] == rows["best@2"]["%Correct"] == 1.0
    assert rows["confirmed"]["speedup"]["value"] > 1.1
    assert [row["counted"] for row in maxcode_table["rows"]] == ["scored", "confirmed"]
    (folder / "solutions").rename(folder / "moved")  # a pool is what it holds, not where it lies
    moved = pie.replace("=solutions", "=./moved")
    said = "2 of 2 runs are done; 0 runs missing"
    known = inside(f"{moved} --store all.db --dry-run --out nowhere", says=said)
    assert tables(known.stdout) == whole  # the same runs, whoever tells of them
    assert not (folder / "nowhere").exists()


def test_kernelbench_writes_its_files(
    inside: Run, folder: Path, warmed: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "sandbox_named", lambda _: warmed)
    level, solutions = folder / "level1", folder / "solutions" / "level1" / "7_Doubling"
    level.mkdir()
    solutions.mkdir(parents=True)
    (level / "7_Doubling.py").write_text(REFERENCE)
    (solutions / "whole.py").write_text(KERNEL)
    done = inside(
        "bench kernelbench --root . --level 1 --ids 7 --seeds 1 --policy best-of-n --json "
        "--generator pool:folder=solutions,by_task=true --budget evaluations=1 --sandbox process "
        "--store kernels.db --eval-results results",
        code=0,
    )
    fast, _ = tables(done.stdout)["tables"]
    assert fast["title"] == "KernelBench, fast_p: level 1"
    by_method = {(row["method"], row["counted"]): row["figures"] for row in fast["rows"]}
    assert by_method["best-of-n", "scored"]["> 1"] == 1.0
    assert by_method["best-of-n", "confirmed"]["> 1"]["value"] == 1.0
    place = folder / "results" / "level1" / "best-of-n-seed0"
    assert (place / "level_1_problem_7_sample_0_kernel.py").read_text() == KERNEL
    (row,) = json.loads((place / "eval_results.json").read_text())["7"]
    assert row["correctness"] is True
    baseline = json.loads((place / "baseline_time.json").read_text())["level1"]["7_Doubling.py"]
    assert baseline["mean"] / row["runtime"] > 1
    assert row["runtime_stats"]["device"] == "cpu"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("kernelbench --root .", "Missing option '--generator'"),
        (KERNELS, "there is neither KernelBench/level1 nor level1"),
        (f"{KERNELS} --level one", "--level takes numbers as in"),
        (f"{KERNELS} --ids 9-3", "--ids takes numbers as in 1,19,30-39, not '9-3'"),
        (f"{KERNELS} --mode lax", "'lax' is not one of"),
        (f"{KERNELS} --level 1,2 --ids 3", "give one --level with"),
        ("pie --data none.jsonl --tests .", "none.jsonl"),
        ("pie --data data.jsonl --tests none", "there is no folder none"),
    ],
)
@pytest.mark.usefixtures("pie")
def test_wrong_use_is_told(inside: Run, arguments: str, message: str) -> None:
    inside(f"bench {arguments}", code=2, says=message)


def test_effibench_has_the_table_of_effi_learner(inside: Run, folder: Path) -> None:
    written(folder, record())
    search = "--policy effi-learner:steps=1 --budget evaluations=1 --sandbox process --json"
    done = inside(f"bench effibench --data dataset.json {search}", code=0)
    told = json.loads(done.stdout)
    assert {pair["task"] for pair in told["pairs"]} == {"EffiBench/7"}
    figures = told["efficiency"]["effi-learner:steps=1"]
    assert set(figures) == {"time", "peak_memory", "memory_integral"}
    assert figures["peak_memory"]["mean_of_ratios"]["value"] > 0
