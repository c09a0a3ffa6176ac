"""Public names stay, and so does what they take and offer.

A name is promised to be in ``maxcode``, or, where the reference describes it under another module,
somewhere in the package: the module is not promised, and may change. What a name means is: the same
parameters with the same defaults, and the same members.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from tests.golden._names import described, documented, exported, found
from tests.golden._place import MAKE, NAMES, read

from maxcode import CppTask, KernelTask, Program
from maxcode.landscape import Landscape, Terrain
from maxcode.tasks import Judging, KernelJudging, TestCase, Variant
from maxcode.testing import ScriptedModel, toy_task

GOLDEN = read(NAMES)
REFERENCE: dict[str, list[Any]] = GOLDEN["reference"]

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


def test_the_package_offers_what_it_did() -> None:
    offered = exported()
    assert sorted(offered) == sorted(GOLDEN["maxcode"]), f"meant so? {MAKE}"
    changed = {name: one for name, one in offered.items() if one != GOLDEN["maxcode"][name]}
    assert changed == {name: GOLDEN["maxcode"][name] for name in changed}, f"meant so? {MAKE}"


def test_what_the_reference_describes_is_what_it_did() -> None:
    names = Counter(name for _, name in documented())
    assert names == {name: len(told) for name, told in REFERENCE.items()}, f"meant so? {MAKE}"


def test_names_of_the_reference_mean_what_they_did() -> None:
    changed = {
        name: {"was": told["what"], "is": there}
        for name, entries in REFERENCE.items()
        for there in [[described(one) for one in found(name)]]
        for told in entries
        if told["what"] not in there
    }
    assert not changed, f"meant so? {MAKE}"


def _cpp(**given: Any) -> CppTask:
    tests = (TestCase("001", b"1\n", b"2\n"),)
    return CppTask("twice", "Double it.", Program.of("int main() {}\n"), tests=tests, **given)


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
    (prompt,) = found("Prompt")
    model = ScriptedModel(lambda *_: "", name="scripted:model")
    assert model.request(prompt("Be brief.", ("Task.", "Now.")), 7)[:16] == "4b3b6c50a21f3eb5"
