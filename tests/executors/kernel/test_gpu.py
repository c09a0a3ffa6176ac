"""Which GPU is taken, by the files that a driver leaves in /dev."""

from pathlib import Path

import pytest

from maxcode.errors import ToolError
from maxcode.executors.kernel.machine import this_gpu

DRIVER = ("nvidiactl", "nvidia-uvm", "nvidia-uvm-tools", "nvidia-caps")


@pytest.fixture
def devices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    for name in (*DRIVER, "nvidia10", "nvidia2", "nvidia0", "null"):
        (tmp_path / name).touch()
    return tmp_path


def test_the_first_of_all_with_what_the_driver_needs(devices: Path) -> None:
    gpu = this_gpu(devices)
    assert gpu is not None
    assert {path.name for path in gpu.files} == {"nvidia0", *DRIVER[:2]}


@pytest.mark.parametrize(
    ("visible", "taken"),
    [
        ("2", "nvidia2"),
        ("10,2", "nvidia10"),
        ("7", ""),
        ("", ""),
        ("-1", ""),
    ],
)
def test_the_one_that_is_visible(
    devices: Path, monkeypatch: pytest.MonkeyPatch, visible: str, taken: str
) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    gpu = this_gpu(devices)
    assert (gpu.device.name if gpu else "") == taken


@pytest.mark.parametrize("missing", ["nvidiactl", "nvidia*[0-9]"])
def test_none_without_a_driver_or_a_device(devices: Path, missing: str) -> None:
    for path in devices.glob(missing):
        path.unlink()
    assert this_gpu(devices) is None


def test_one_that_is_named_otherwise_is_not_guessed(
    devices: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "GPU-8f2c")
    with pytest.raises(ToolError, match=r"GPU-8f2c.*by its number"):
        this_gpu(devices)
