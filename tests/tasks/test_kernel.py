from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from maxcode.errors import TaskError
from maxcode.program import Program
from maxcode.tasks import load_task
from maxcode.tasks.kernel import KernelJudging, KernelTask, Variant

SOURCE = '''\
ROWS = 4
SCALE = 2


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
TASK = KernelTask("scale", "Scale.", reference=SOURCE)


def judged(**judging: Any) -> KernelTask:
    return replace(TASK, judging=KernelJudging(**judging))


def test_the_baseline_is_the_reference_as_a_candidate() -> None:
    assert TASK.language == "python"
    assert TASK.baseline.entry == "kernel.py"
    assert "class ModelNew:" in TASK.baseline.code
    assert "get_" not in TASK.baseline.code
    assert TASK.forbidden_changes(Program.of("class ModelNew: pass", "kernel.py")) == []
    assert TASK.forbidden_changes(TASK.baseline.with_file("other.py", "")) == ["other.py"]


def test_a_variant_changes_the_reference_and_not_the_baseline() -> None:
    variant = Variant("wide", (("SCALE", 3), ("ROWS", 9)))
    task = judged(variants=(variant, Variant()))
    assert variant.constants == (("ROWS", 9), ("SCALE", 3))
    assert task.reference_of(variant) == SOURCE.replace("= 4", "= 9").replace("= 2", "= 3")
    assert task.reference_of(Variant()) == SOURCE
    assert task.baseline == TASK.baseline


def test_the_first_variant_for_a_device_is_the_timed_one() -> None:
    gpu, plain, small = Variant("gpu", device="cuda"), Variant(), Variant("small", device="cpu")
    judging = KernelJudging(variants=(gpu, plain, small))
    assert judging.variants_on("cuda") == (gpu, plain)
    assert judging.variants_on("cpu") == (plain, small)
    assert KernelJudging(device="cuda", variants=(gpu,)).variants_on("cuda") == (gpu,)


@pytest.mark.parametrize(
    "other",
    [
        replace(TASK, reference=SOURCE.replace("ROWS = 4", "ROWS = 5")),
        judged(mode="kernelbench"),
        judged(tolerance=0),
        judged(baselines=("eager", "compile")),
        judged(variants=(Variant(constants=(("ROWS", 5),)),)),
        judged(variants=(Variant(distribution="normal"),)),
        judged(variants=(Variant(), Variant("b", device="cuda"))),
    ],
)
def test_whatever_decides_a_verdict_changes_the_digest(other: KernelTask) -> None:
    assert other.digest != TASK.digest


def test_the_digest_of_equal_tasks_is_equal() -> None:
    assert judged(timeout=10, tolerance=1).digest == judged(timeout=10.0, tolerance=1.0).digest
    assert replace(TASK).digest == TASK.digest


@pytest.mark.parametrize(
    ("judging", "told"),
    [
        ({"mode": "loose"}, "unknown mode 'loose'; known: strict, kernelbench"),
        ({"device": "gpu"}, "unknown device 'gpu'; known: auto, cpu, cuda"),
        ({"dtype": "int8"}, "unknown dtype 'int8'; known: \"\", float32"),
        ({"tolerance": -1}, "tolerance must be a number of at least 0"),
        ({"timeout": 0}, "timeout must be a number above 0"),
        ({"baselines": ("eager", "fast")}, "unknown baseline 'fast'; known: eager, compile"),
        ({"baselines": ("compile",)}, '"eager" must be among the baselines'),
        ({"variants": (Variant(device="cuda"),)}, "no variant for device 'cpu'"),
        ({"variants": (Variant(), Variant())}, "two variants 'default'"),
    ],
)
def test_judging_that_cannot_be_is_refused(judging: dict[str, Any], told: str) -> None:
    with pytest.raises(TaskError, match=told):
        KernelJudging(**judging)


@pytest.mark.parametrize(
    ("variant", "told"),
    [
        ({"name": ""}, "needs a name"),
        (
            {"name": "a", "distribution": "odd"},
            "variant 'a': unknown distribution 'odd'; known: ta",
        ),
        ({"name": "a", "device": "auto"}, "variant 'a': unknown device"),
        (
            {"name": "a", "constants": (("N", 1), ("N", 2))},
            "variant 'a': a constant is given twice",
        ),
    ],
)
def test_variants_that_cannot_be_are_refused(variant: dict[str, Any], told: str) -> None:
    with pytest.raises(TaskError, match=told):
        Variant(**variant)


def test_a_constant_that_the_reference_does_not_have_is_told() -> None:
    told = "variant 'a': the reference of task 'scale': assigns no constant 'COLUMNS'"
    with pytest.raises(TaskError, match=told):
        judged(variants=(Variant(), Variant("a", (("COLUMNS", 1),))))


def test_a_constant_that_the_class_uses_is_the_same_in_all_variants() -> None:
    source = SOURCE.replace("x * self.scale", "x * ROWS")
    varied = KernelJudging(variants=(Variant("a", (("ROWS", 1),)),))
    with pytest.raises(TaskError, match=r"variant 'a': .* 'ROWS' inside class Model"):
        KernelTask("scale", "", reference=source, judging=varied)


# -- as a folder ---------------------------------------------------------------------------------


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
    assert task == replace(TASK, statement="Scales.")


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
    source = SOURCE.replace("SCALE = 2", "SCALE = 3")
    assert load_task(folder) == KernelTask("scale", "Scale.", reference=source, judging=judging)


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ('name = "a"\n[kernel]\nmode = "loose"\n', "task.toml: judging: unknown mode 'loose'"),
        (
            'name = "a"\n[[kernel.variants]]\nname = "b"\n[[kernel.variants]]\ndevise = ""\n',
            ": kernel.variants.1.devise: no such key",
        ),
        ('name = "a"\n[kernel]\nreference = "b.py"\n', "b.py: No such file"),
        ('name = "a"\n[kernel]\nconstants = { N = 1 }\n', "reference.py: assigns no constant 'N'"),
    ],
)
def test_a_malformed_file_is_told_with_its_key(table: str, told: str, tmp_path: Path) -> None:
    assert told in complaint(write(tmp_path, table))


def test_a_reference_that_is_none_is_named(tmp_path: Path) -> None:
    folder = write(tmp_path, 'name = "a"\n[kernel]\n', SOURCE.replace("Model", "Net"))
    assert f"{folder / 'reference.py'}: defines no class Model" in complaint(folder)
