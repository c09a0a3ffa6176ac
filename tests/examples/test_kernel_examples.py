"""The kernel examples: baselines and plain candidates compute what references do."""

from pathlib import Path
from typing import Any

import pytest

from maxcode.tasks import KernelTask, load_task

KERNEL_EXAMPLES = Path(__file__).parents[2] / "examples" / "kernels"
FOLDERS = sorted(path.parent for path in KERNEL_EXAMPLES.glob("*/task.toml"))

each_example = pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)


def loaded(folder: Path) -> KernelTask:
    task = load_task(folder)
    assert isinstance(task, KernelTask)
    return task


@each_example
def test_the_task_is_varied_and_sized_for_both_devices(folder: Path) -> None:
    task = loaded(folder)
    timed = {device: task.judging.variants_on(device)[0].name for device in ("cpu", "cuda")}
    assert timed == {"cpu": "default", "cuda": "gpu"}
    variants = task.judging.variants_on("cpu")
    assert len({task.reference_of(variant) for variant in variants}) > 1
    assert len({variant.distribution for variant in variants}) > 1


@pytest.mark.slow
@each_example
def test_baselines_and_plain_candidates_compute_what_references_do(folder: Path) -> None:
    torch: Any = pytest.importorskip("torch")

    def defined(source: str) -> dict[str, Any]:
        names: dict[str, Any] = {"__name__": "source"}
        exec(compile(source, "source", "exec"), names)  # noqa: S102 - ours
        return names

    task = loaded(folder)
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
