"""Which GPU is taken, by the files that a driver leaves in /dev."""

from pathlib import Path

import pytest

from maxcode.errors import ToolError
from maxcode.executors.kernel.machine import this_gpu
from maxcode.executors.kernel.workers import CANDIDATE, WorkerSetting

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
    assert {path.name for path in gpu.files} == {"nvidia0", *DRIVER[:3]}


@pytest.mark.parametrize(
    ("visible", "taken"),
    [
        ("1", "nvidia2"),
        ("2,0", "nvidia10"),
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


@pytest.mark.parametrize(
    ("visible", "taken"), [("0", "nvidia10"), ("1", "nvidia0"), ("2", ""), ("GPU-a", "nvidia0")]
)
def test_a_number_counts_those_that_are_there_by_their_buses(
    devices: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, visible: str, taken: str
) -> None:
    (devices / "nvidia2").unlink()  # as in a container that was given the other two
    for bus, minor, uuid in (("01", 10, "GPU-b"), ("02", 2, "GPU-c"), ("03", 0, "GPU-a1")):
        facts = tmp_path / "gpus" / f"0000:{bus}:00.0" / "information"
        facts.parent.mkdir(parents=True)
        facts.write_text(f"Model: \t GPU\nGPU UUID: \t {uuid}\nDevice Minor: \t {minor}\n")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    gpu = this_gpu(devices, tmp_path / "gpus")
    assert (gpu.device.name if gpu else "") == taken


def test_one_that_may_not_be_opened_does_not_count(
    devices: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (devices / "nvidia0").unlink()
    (devices / "nvidia0").mkdir()  # which fails to open, as what a job was not given
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")
    gpu = this_gpu(devices)
    assert gpu is not None
    assert gpu.device.name == "nvidia2"


def test_a_part_is_known_by_its_name_where_one_gpu_is_there(
    devices: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "MIG-4f1a27e0-0c5c-5a0b-9a3a-2e1b6f9ad4a1"
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", name)
    with pytest.raises(ToolError, match=r"none of this machine's GPUs"):
        this_gpu(devices)
    for other in ("nvidia2", "nvidia10"):
        (devices / other).unlink()
    gpu = this_gpu(devices)
    assert gpu is not None
    assert (gpu.device.name, gpu.part) == ("nvidia0", name)
    setting = WorkerSetting(CANDIDATE, gpu=gpu)
    assert f"CUDA_VISIBLE_DEVICES={name}" in setting.command(devices, devices)
