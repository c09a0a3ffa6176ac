"""A task and a request keep the digests by which runs and paid answers are found again."""

from __future__ import annotations

from typing import Any

import pytest

from maxcode import KernelTask, Program, ProgramTask
from maxcode.landscape import Landscape, Terrain
from maxcode.models.base import Prompt
from maxcode.tasks import Judging, KernelJudging, TestCase, Variant
from maxcode.testing import ScriptedModel, toy_task

_RELU = """\
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x)


def get_inputs():
    return [torch.randn(4)]


def get_init_inputs():
    return []
"""


def _cpp(**given: Any) -> ProgramTask:
    tests = (TestCase("001", b"1\n", b"2\n"),)
    return ProgramTask("twice", "Double it.", Program.of("int main() {}\n"), tests=tests, **given)


@pytest.mark.parametrize(
    ("task", "digest"),
    [
        (toy_task(), "49ba2944f1041f49"),
        (_cpp(), "03f164dc65f23556"),
        (_cpp(judging=Judging(timeout=2, meter="wall", sanitize=True)), "0ed932d55fefa2df"),
        (KernelTask("relu", "Rectify.", reference=_RELU), "7f5c1231d162c093"),
        (
            KernelTask(
                "relu",
                "Rectify.",
                reference=_RELU,
                judging=KernelJudging(variants=(Variant(distribution="normal"),), tolerance=0.01),
            ),
            "984d74ffab093a82",
        ),
        (Landscape.on(Terrain(seed=3, size=6)), "cb32eb331f706be9"),
    ],
    ids=["toy", "cpp", "cpp-judging", "kernel", "kernel-judging", "landscape"],
)
def test_a_task_has_the_digest_by_which_its_runs_are_resumed(task: Any, digest: str) -> None:
    """There is no making these anew: with another digest no older run can be gone on with."""
    assert task.digest[:16] == digest


def test_a_request_has_the_digest_by_which_its_answers_are_found_again() -> None:
    """With another, answers that were paid for are paid for again."""
    model = ScriptedModel(lambda *_: "", name="scripted:model")
    assert model.request(Prompt("Be brief.", ("Task.", "Now.")), 7)[:16] == "4b3b6c50a21f3eb5"
