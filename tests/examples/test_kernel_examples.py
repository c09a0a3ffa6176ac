"""The kernel examples: tasks that load, and candidates that say what verdict they must get."""

import re
from pathlib import Path
from typing import Any

import pytest

from maxcode.evaluation import Status
from maxcode.tasks import KernelTask, load_task

KERNEL_EXAMPLES = Path(__file__).parents[2] / "examples" / "kernels"
FOLDERS = sorted(path.parent for path in KERNEL_EXAMPLES.glob("*/task.toml"))

HEADER = re.compile(r'"""expected: ([A-Z_]+(?: \| [A-Z_]+)*)(; needs: cuda)?\. [A-Z].*\."""')

ALLOWED = {
    "plain": {Status.OK},
    "fused": {Status.OK},
    "slow": {Status.OK},
    "wrong": {Status.WRONG_ANSWER},
    "broken": {Status.BUILD_ERROR, Status.RUNTIME_ERROR},
    "cheat": {Status.SUSPECT, Status.WRONG_ANSWER},
}
"""Verdicts of a candidate by its name."""

each_example = pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)


@each_example
def test_the_task_is_told_varied_and_sized_for_both_devices(folder: Path) -> None:
    task = load_task(folder)
    assert isinstance(task, KernelTask)
    assert task.name == folder.name.replace("_", "-")
    assert task.statement
    timed = {device: task.judging.variants_on(device)[0].name for device in ("cpu", "cuda")}
    assert timed == {"cpu": "default", "cuda": "gpu"}
    variants = task.judging.variants_on("cpu")
    assert len({task.reference_of(variant) for variant in variants}) > 1
    assert len({variant.distribution for variant in variants}) > 1


@each_example
def test_candidates_are_of_every_kind_and_name_their_verdict(folder: Path) -> None:
    paths = sorted((folder / "candidates").glob("*.py"))
    assert {path.stem.partition("_")[0] for path in paths} == ALLOWED.keys()
    for path in paths:
        header = HEADER.fullmatch(path.read_text().splitlines()[0])
        assert header, f"{path} does not begin with its expected verdict"
        verdicts = {Status[verdict] for verdict in header[1].split(" | ")}
        assert verdicts <= ALLOWED[path.stem.partition("_")[0]]
        assert ("cuda" in path.stem) == bool(header[2])


@pytest.mark.slow
@each_example
def test_baselines_and_plain_candidates_compute_what_references_do(folder: Path) -> None:
    torch: Any = pytest.importorskip("torch")

    def defined(source: str) -> dict[str, Any]:
        names: dict[str, Any] = {"__name__": "source"}
        exec(compile(source, "source", "exec"), names)  # noqa: S102 - ours
        return names

    task = load_task(folder)
    assert isinstance(task, KernelTask)
    plain = (folder / "candidates" / "plain.py").read_text()
    candidates = [defined(code)["ModelNew"] for code in (task.baseline.code, plain)]
    for variant in task.judging.variants_on("cpu"):
        reference = defined(task.reference_of(variant))
        inputs, arguments = reference["get_inputs"](), reference["get_init_inputs"]()
        model = reference["Model"](*arguments).eval()
        for kind in candidates:
            other = kind(*arguments).eval()
            other.load_state_dict(model.state_dict())
            with torch.inference_mode():
                torch.testing.assert_close(other(*inputs), model(*inputs))
