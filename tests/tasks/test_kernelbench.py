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
    names = ("100_HingeLoss.py", "19_ReLU.py", "2_Standard.py", "README.md", "__init__.py")
    level(tmp_path / inner, 1, *names)
    level(tmp_path / inner, 2, "1_Other.py")
    tasks = load_kernelbench(tmp_path, 1, KernelJudging(mode="kernelbench"))
    assert [t.name for t in tasks] == [
        "level1/2_Standard",
        "level1/19_ReLU",
        "level1/100_HingeLoss",
    ]
    assert {t.judging.mode for t in tasks} == {"kernelbench"}


def test_a_folder_without_tasks(tmp_path: Path) -> None:
    folder = level(tmp_path, 3, "notes.py")
    with pytest.raises(TaskError, match=f"{folder} holds no tasks"):
        load_kernelbench(tmp_path, 3)
    with pytest.raises(TaskError, match=r"there is neither .*KernelBench/level4 nor .*level4"):
        load_kernelbench(str(tmp_path), 4)


def test_a_level_names_the_file_that_is_wrong(tmp_path: Path) -> None:
    folder = level(tmp_path, 1, "1_a.py", "2_b.py")
    (folder / "2_b.py").write_text(FILE + "\nx = = 1\n")
    with pytest.raises(TaskError, match=r"2_b\.py, line 24: not valid Python"):
        load_kernelbench(tmp_path, 1)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (FILE.replace("class Model(", "class Net(").encode(), r"a\.py: defines no class Model"),
        (FILE.replace("def get_inputs", "def inputs").encode(), r"a\.py: .* get_inputs\(\)"),
        (FILE.replace("get_init_", "get_the_").encode(), r"a\.py: .* get_init_inputs\(\)"),
        (FILE.replace("(x)", "(len(get_inputs()))").encode(), r"a\.py: .*class Model needs"),
        (b"\xff\n", r"a\.py: not UTF-8 text"),
        (b"", "no class Model"),
    ],
)
def test_a_file_that_is_no_task(content: bytes, told: str, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(content)
    with pytest.raises(TaskError, match=told):
        load_kernel_file(tmp_path / "a.py")


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match=r"none\.py: No such file"):
        load_task(tmp_path / "none.py")
