"""Each prompt whole, as a model gets it, in ``snapshots/``.

Written anew, to be read before they are kept, by
``MAXCODE_SNAPSHOTS=write pytest tests/prompts/test_snapshots.py``.
"""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.prompts._observations import (
    FENWICK,
    FLUSHED,
    MISCOUNTS,
    PROFILE,
    QUIET,
    ROOT,
    SQUARE_REFERENCE,
    UNBUILT,
    UNREAD,
    everything,
    kernel_observed,
    observed,
    right,
    several_files_task,
    step,
)

from maxcode.models.base import Prompt
from maxcode.observation import Observation
from maxcode.program import Program
from maxcode.prompts.prompts import Prompts
from maxcode.task import Task
from maxcode.tasks import KernelJudging, KernelTask
from maxcode.tree import Trajectory

FOLDER = Path(__file__).with_name("snapshots")
GPU = """\
device: cuda
GPU: NVIDIA H100 80GB HBM3, compute capability 9.0
multiprocessors: 132, each with 2,048 threads, 65,536 registers, 228 KiB of shared memory
shared memory of a block: 48 KiB, on request up to 227 KiB
memory: 79.11 GiB, L2 cache 50 MiB
kernel languages: CUDA C++, Triton 3.5.0
torch: 2.13.0, CUDA 12.8, extensions in c++20"""


def _plain_task() -> Prompt:
    task = Task("squeeze", "Remove blanks.", Program.of("print(1)\n", "main.py"), language="python")
    seen = observed([step(0, "", right(1.0), None)])
    root = replace(seen.step, program=task.baseline)
    return Prompts().generator(
        replace(seen, task=task, step=root, best=root, trajectory=Trajectory((root,)))
    )


def _several_files() -> Prompt:
    task = several_files_task()
    root = replace(ROOT, program=task.baseline)
    changed = task.baseline.with_file("count.cpp", QUIET)
    tried = replace(FLUSHED, program=changed)
    return Prompts().generator(observed([root, tried], best=tried, task=task))


def _bare() -> Prompt:
    return Prompts().generator(replace(everything(), trajectory=None, attempts=(), best=None))


def _by_kernelbench() -> Observation:
    seen = kernel_observed(GPU)
    judging = KernelJudging(mode="kernelbench")
    return replace(seen, task=KernelTask("sum", "", reference=SQUARE_REFERENCE, judging=judging))


GENERATOR = {
    "first": observed([ROOT]),
    "does-not-build": observed([ROOT, FLUSHED, UNBUILT], best=FLUSHED),
    "wrong-answer": observed([ROOT, FLUSHED, FENWICK, MISCOUNTS], best=FENWICK),
    "no-program": observed([ROOT, FENWICK, UNREAD], best=FENWICK),
    "not-the-best": observed([ROOT, FLUSHED], [UNBUILT], best=FENWICK),
    "best": observed([ROOT, FENWICK], [FLUSHED], best=FENWICK),
    "everything": everything(),
    "inspired": observed([ROOT, FLUSHED], best=FLUSHED, exemplars=(FENWICK, FLUSHED)),
    "kernel-cpu": kernel_observed("device: cpu\nCPU: AMD EPYC 9454"),
    "kernel-cuda": kernel_observed(GPU),
    "kernel-device-unknown": kernel_observed(""),
    "kernel-by-kernelbench": _by_kernelbench(),
}
CRITIC = {
    "critic-first": (observed([replace(ROOT, profile=PROFILE)]), 0),
    "critic-failure": (observed([ROOT, FLUSHED, UNBUILT], best=FLUSHED), 2),
    "critic-everything": (everything(), 3),
    "critic-kernel": (kernel_observed(GPU), 1),
}
OTHERS: dict[str, Callable[[], Prompt]] = {
    "switches-off": _bare,
    "several-files": _several_files,
    "plain-task": _plain_task,
}


def _prompt(name: str) -> Prompt:
    if name in OTHERS:
        return OTHERS[name]()
    if name in CRITIC:
        seen, step_id = CRITIC[name]
        return Prompts().critic(seen, next(one for one in seen.shown if one.id == step_id))
    return Prompts().generator(GENERATOR[name])


NAMES = [*GENERATOR, *CRITIC, *OTHERS]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_prompt(name: str) -> None:
    prompt, path = _prompt(name), FOLDER / f"{name}.txt"
    if os.environ.get("MAXCODE_SNAPSHOTS") == "write":
        path.write_text(f"{prompt.text}\n")
    assert f"{prompt.text}\n" == path.read_text(), f"see the head of {__file__}"


def test_no_other_snapshots_lie_about() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == {*NAMES}


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_what_was_expected_is_never_shown(name: str) -> None:
    assert "SECRET" not in _prompt(name).text
