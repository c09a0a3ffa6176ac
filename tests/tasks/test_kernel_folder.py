from pathlib import Path

import pytest

from maxcode.errors import TaskError
from maxcode.tasks import KernelJudging, KernelTask, Variant, load_task

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


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ("[kernel]\n", "task.toml: name: this key is missing"),
        ('name = "a"\n[kernel]\nmod = "strict"\n', ": kernel.mod: no such key"),
        ('name = "a"\n[kernel]\nmode = "loose"\n', "task.toml: judging: unknown mode 'loose'"),
        (
            'name = "a"\n[[kernel.variants]]\nname = "b"\n[[kernel.variants]]\ndevise = ""\n',
            ": kernel.variants.1.devise: no such key",
        ),
        ('name = "a"\n[kernel]\nreference = "b.py"\n', "b.py: No such file"),
        ('name = "a"\n[kernel]\nconstants = { N = 1 }\n', "reference.py: assigns no constant 'N'"),
        (
            'name = "a"\n[kernel]\nvariants = [{ name = "b" }, { name = "b" }]\n',
            "task.toml: judging: there are two variants 'b'",
        ),
        ('name = "a"\n[kernel]\n[build]\nflags = []\n', ": build: no such key"),
    ],
)
def test_a_malformed_file_is_told_with_its_key(table: str, told: str, tmp_path: Path) -> None:
    assert told in complaint(write(tmp_path, table))


def test_a_reference_that_is_none_is_named(tmp_path: Path) -> None:
    folder = write(tmp_path, 'name = "a"\n[kernel]\n', SOURCE.replace("Model", "Net"))
    assert f"{folder / 'reference.py'}: defines no class Model" in complaint(folder)
    (folder / "reference.py").write_text(SOURCE + "\n)")
    assert f"{folder / 'reference.py'}, line 22: not valid Python" in complaint(folder)
