from pathlib import Path

import pytest

from maxcode.errors import TaskError
from maxcode.tasks import KernelJudging, KernelTask, ProgramTask, Variant, load_task
from maxcode.tasks.kernel import DISTRIBUTIONS

SOURCE = '''\
ROWS = 4
SCALE = 2.0


class Model:
    """Scales."""

    def __init__(self, scale):
        self.scale = scale

    def forward(self, x):
        return x * self.scale


def get_inputs():
    return [ROWS]


def get_init_inputs():
    return [SCALE]
'''


def write(folder: Path, table: str, source: str = SOURCE) -> Path:
    (folder / "task.toml").write_text(table)
    (folder / "reference.py").write_text(source)
    return folder


def complaint(folder: Path) -> str:
    with pytest.raises(TaskError) as caught:
        load_task(folder)
    return str(caught.value)


def test_a_name_and_a_table_are_all_that_must_be_said(tmp_path: Path) -> None:
    task = load_task(write(tmp_path, 'name = "scale"\n[kernel]\n'))
    assert task == KernelTask("scale", "Scales.", reference=SOURCE)


def test_everything_that_can_be_said(tmp_path: Path) -> None:
    table = """
        name = "scale"
        statement = "Scale."
        [kernel]
        reference = "sources/other.py"
        mode = "kernelbench"
        device = "cpu"
        dtype = "bfloat16"
        train = true
        tolerance = 1e-3
        threads = 2
        timeout = 5
        build_timeout = 60
        memory_mb = 512
        baselines = ["eager", "compile"]
        constants = { SCALE = 3 }
        [[kernel.variants]]
        name = "wide"
        constants = { ROWS = [1, 2] }
        distribution = "mixed-scale"
        [[kernel.variants]]
        name = "gpu"
        device = "cuda"
    """
    folder = write(tmp_path, table)
    (folder / "sources").mkdir()
    (folder / "reference.py").rename(folder / "sources" / "other.py")
    variants = Variant("wide", (("ROWS", (1, 2)),), "mixed-scale"), Variant("gpu", device="cuda")
    judging = KernelJudging(
        "kernelbench",
        "cpu",
        "bfloat16",
        True,
        1e-3,
        variants,
        2,
        5,
        60,
        512 << 20,
        ("eager", "compile"),
    )
    source = SOURCE.replace("2.0", "3")
    assert load_task(folder) == KernelTask("scale", "Scale.", reference=source, judging=judging)


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_each_distribution_can_be_said(distribution: str, tmp_path: Path) -> None:
    table = f'name = "a"\n[kernel]\nvariants = [{{ name = "v", distribution = "{distribution}" }}]'
    task = load_task(write(tmp_path, table))
    assert isinstance(task, KernelTask)
    assert task.judging.variants == (Variant("v", distribution=distribution),)


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ("[kernel]\n", "task.toml: name: this key is missing"),
        ('name = "a"\n[kernel]\nmod = "strict"\n', "line 3: kernel.mod: no such key"),
        ('name = "a"\n[kernel]\nmode = "loose"\n', "line 3: kernel.mode: input should be 'strict'"),
        ('name = "a"\n[kernel]\ndevice = "gpu"\n', "line 3: kernel.device: "),
        ('name = "a"\n[kernel]\ndtype = "int8"\n', "line 3: kernel.dtype: "),
        ('name = "a"\n[kernel]\ntimeout = 0\n', "line 3: kernel.timeout: "),
        ('name = "a"\n[kernel]\ntolerance = -1\n', "line 3: kernel.tolerance: "),
        ('name = "a"\n[kernel]\nthreads = 0\n', "line 3: kernel.threads: "),
        ('name = "a"\n[kernel]\nbaselines = ["fast"]\n', "line 3: kernel.baselines.0: "),
        ('name = "a"\n[kernel]\nbaselines = ["compile"]\n', '"eager" must be among'),
        ('name = "a"\n[kernel]\nvariants = []\n', "line 3: kernel.variants: "),
        (
            'name = "a"\n[kernel]\n[[kernel.variants]]\nnam = "b"\n',
            "line 4: kernel.variants.0.nam: ",
        ),
        (
            'name = "a"\n[kernel]\n[[kernel.variants]]\nname = "b"\ndistribution = "odd"\n',
            "line 5: kernel.variants.0.distribution: input should be 'task'",
        ),
        (
            'name = "a"\n[kernel]\n[[kernel.variants]]\nname = "b"\n\n'
            '[[kernel.variants]]\nname = "c"\ndevice = "gpu"\n',
            "line 8: kernel.variants.1.device: input should be",
        ),
        (
            'name = "a"\n[[kernel.variants]]\nname = "b"\n[[kernel.variants]]\ndevice = ""\n',
            "line 4: kernel.variants.1.name: this key is missing",
        ),
        (
            'name = "a"\n[kernel]\nconstants = { ROWS = { a = 1 } }\n',
            "line 3: kernel.constants.ROWS",
        ),
        ('name = "a"\n[kernel]\nreference = "b.py"\n', "b.py: No such file"),
        ('name = "a"\n[kernel]\nconstants = { N = 1 }\n', "reference.py: assigns no constant 'N'"),
        (
            'name = "a"\n[kernel]\n[[kernel.variants]]\nname = "b"\nconstants = { N = 1 }\n',
            "task.toml: kernel: variant 'b': the reference of task 'a': assigns no constant 'N'",
        ),
        (
            'name = "a"\n[kernel]\nvariants = [{ name = "b" }, { name = "b" }]\n',
            "task.toml: kernel: judging: there are two variants 'b'",
        ),
        (
            'name = "a"\n[kernel]\n[build]\nflags = []\n',
            "task.toml: [kernel] and [build] in one file",
        ),
        ('name = "a"\nkernel = 3\n', "line 2: kernel: "),
        ('name = "a"\n[kernel]\n[tests]\n', "line 3: tests: no such key"),
    ],
)
def test_a_malformed_file_is_told_with_key_and_line(table: str, told: str, tmp_path: Path) -> None:
    assert told in complaint(write(tmp_path, table))


def test_a_reference_that_is_none_is_named(tmp_path: Path) -> None:
    folder = write(tmp_path, 'name = "a"\n[kernel]\n', SOURCE.replace("Model", "Net"))
    assert f"{folder / 'reference.py'}: defines no class Model" in complaint(folder)
    (folder / "reference.py").write_text(SOURCE + "\n)")
    assert f"{folder / 'reference.py'}, line 22: not valid Python" in complaint(folder)


def test_without_the_table_it_is_a_cpp_task(tmp_path: Path) -> None:
    folder = write(tmp_path, 'name = "a"\n')
    (folder / "main.cpp").write_text("int main() {}\n")
    (folder / "tests").mkdir()
    for name in ("1.in", "1.out"):
        (folder / "tests" / name).write_text("")
    assert isinstance(load_task(folder), ProgramTask)
