from pathlib import Path

import pytest

from maxcode.errors import TaskError
from maxcode.tasks import KernelJudging, load_kernel_file, load_kernelbench, load_task

FILE = '''\
import torch
import torch.nn as nn

class Model(nn.Module):
    """
    Simple model that performs a ReLU activation.
    """
    def __init__(self):
        super(Model, self).__init__()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(x)

batch_size = 16
dim = 16384

def get_inputs():
    x = torch.randn(batch_size, dim)
    return [x]

def get_init_inputs():
    return []  # No special initialization inputs needed
'''


def level(root: Path, number: int, *names: str) -> Path:
    folder = root / f"level{number}"
    folder.mkdir(parents=True)
    for name in names:
        (folder / name).write_text(FILE)
    return folder


def test_a_file_is_a_task(tmp_path: Path) -> None:
    path = tmp_path / "19_ReLU.py"
    path.write_bytes(b"\xef\xbb\xbf" + FILE.encode())
    task = load_kernel_file(path)
    assert task.name == "19_ReLU"
    assert task.statement == "Simple model that performs a ReLU activation."
    assert task.reference == FILE
    assert task.judging == KernelJudging()
    expected = FILE.partition("\nbatch_size")[0]
    assert task.baseline.code == expected.replace("class Model(", "class ModelNew(").replace(
        "super(Model,", "super(ModelNew,"
    )
    assert load_task(str(path)) == task


def test_nothing_of_a_file_is_run(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("raise SystemExit('run')\n" + FILE)
    assert load_kernel_file(path, KernelJudging(threads=2)).judging.threads == 2


@pytest.mark.parametrize("inner", ["KernelBench", "."])
def test_a_level_is_sorted_by_number(inner: str, tmp_path: Path) -> None:
    names = ("100_HingeLoss.py", "19_ReLU.py", "2_Standard.py", "README.md", "3_notes.txt")
    level(tmp_path / inner, 1, *names)
    level(tmp_path / inner, 2, "1_Other.py")
    tasks = load_kernelbench(tmp_path, 1, KernelJudging(mode="kernelbench"))
    assert [t.name for t in tasks] == [
        "level1/2_Standard",
        "level1/19_ReLU",
        "level1/100_HingeLoss",
    ]
    assert {t.judging.mode for t in tasks} == {"kernelbench"}


def test_problems_are_chosen_by_number(tmp_path: Path) -> None:
    folder = level(tmp_path, 1, "19_ReLU.py", "2_Standard.py", "100_HingeLoss.py")
    (folder / "2_Standard.py").write_text("not looked at")
    tasks = load_kernelbench(tmp_path, 1, ids=(100, 19))
    assert [task.name for task in tasks] == ["level1/19_ReLU", "level1/100_HingeLoss"]


@pytest.mark.parametrize(
    ("ids", "told"),
    [
        ((2, 3), "level1 has no task 3; it has 2 tasks, from 2 to 19"),
        ((), "no task of .*level1 is asked for"),
    ],
)
def test_numbers_that_cannot_be_chosen(ids: tuple[int, ...], told: str, tmp_path: Path) -> None:
    level(tmp_path, 1, "19_ReLU.py", "2_Standard.py")
    with pytest.raises(TaskError, match=told):
        load_kernelbench(tmp_path, 1, ids=ids)


def test_a_folder_without_tasks(tmp_path: Path) -> None:
    folder = level(tmp_path, 3, "notes.md")
    with pytest.raises(TaskError, match=f"{folder} holds no tasks"):
        load_kernelbench(tmp_path, 3)
    with pytest.raises(TaskError, match=r"there is neither .*KernelBench/level4 nor .*level4"):
        load_kernelbench(str(tmp_path), 4)


def test_small_tasks_say_so_and_are_others(tmp_path: Path) -> None:
    level(tmp_path, 1, "19_ReLU.py")
    [full] = load_kernelbench(tmp_path, 1)
    [small] = load_kernelbench(tmp_path, 1, small=True)
    assert small.reference == FILE.replace("batch_size = 16\n", "batch_size = 4\n")
    assert small.statement == (
        "Simple model that performs a ReLU activation.\n\n"
        "Smaller than in the benchmark: batch_size = 4."
    )
    assert small.name == full.name
    assert small.digest != full.digest
    assert small.baseline == full.baseline


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (FILE.replace("class Model(", "class Net(").encode(), r"a\.py: defines no class Model"),
        (FILE.replace("(x)", "(len(get_inputs()))").encode(), r"a\.py: .*class Model needs"),
        (b"\xff\n", r"a\.py: not UTF-8 text"),
    ],
)
def test_a_file_that_is_no_task(content: bytes, told: str, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(content)
    with pytest.raises(TaskError, match=told):
        load_kernel_file(tmp_path / "a.py")
