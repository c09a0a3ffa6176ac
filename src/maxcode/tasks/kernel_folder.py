"""Kernel tasks as folders: ``task.toml`` with a table ``[kernel]``, and the reference beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from maxcode.errors import TaskError
from maxcode.tasks.constants import Constant, with_constants
from maxcode.tasks.kernel import KernelJudging, KernelTask, Variant
from maxcode.tasks.kernelbench import docstring, read_reference
from maxcode.tasks.toml import Seconds, Table, read_toml

_Constants = dict[str, bool | int | float | str | list[int] | list[float] | list[str]]


class _Variant(Table):
    name: Annotated[str, Field(min_length=1)]
    constants: _Constants = Field(default={})
    distribution: Literal["task", "normal", "uniform", "positive", "shifted", "mixed-scale"] = (
        "task"
    )
    device: Literal["", "cpu", "cuda"] = ""


class _Kernel(Table):
    reference: str = "reference.py"
    mode: Literal["strict", "kernelbench"] = "strict"
    device: Literal["auto", "cpu", "cuda"] = "auto"
    dtype: Literal["", "float32", "float16", "bfloat16"] = ""
    train: bool = False
    tolerance: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    baselines: list[Literal["eager", "compile"]] = Field(default=["eager"])
    threads: Annotated[int, Field(gt=0, le=4096)] = 1
    timeout: Seconds = 30.0
    build_timeout: Seconds = 300.0
    memory_mb: Annotated[int, Field(gt=0, le=1 << 30)] = 8192
    constants: _Constants = Field(default={})
    variants: list[_Variant] = Field(default=[_Variant(name="default")], min_length=1)


class _TaskFile(Table):
    name: Annotated[str, Field(min_length=1)]
    statement: str = ""
    kernel: _Kernel


def load_kernel_folder(folder: Path | str) -> KernelTask:
    """The kernel task in a folder.

    Without a statement it is Model's docstring. Raises :class:`~maxcode.errors.TaskError` that
    names the file, and the line and key if it is ``task.toml`` that is wrong.
    """
    folder = Path(folder)
    path = folder / "task.toml"
    table = read_toml(path, _TaskFile)
    kernel = table.kernel
    reference = folder / kernel.reference
    source = read_reference(reference)
    own = dict(_constants(kernel.constants))
    try:
        judging = KernelJudging(
            mode=kernel.mode,
            device=kernel.device,
            dtype=kernel.dtype,
            train=kernel.train,
            tolerance=kernel.tolerance,
            variants=tuple(_variant(variant) for variant in kernel.variants),
            baselines=tuple(kernel.baselines),
            threads=kernel.threads,
            timeout=kernel.timeout,
            build_timeout=kernel.build_timeout,
            memory=kernel.memory_mb << 20,
        )
        return KernelTask(
            table.name,
            table.statement or docstring(source),
            reference=with_constants(source, own, str(reference)) if own else source,
            judging=judging,
        )
    except TaskError as error:
        raise TaskError(f"{path}: kernel: {error}") from error


def _variant(table: _Variant) -> Variant:
    return Variant(table.name, _constants(table.constants), table.distribution, table.device)


def _constants(table: _Constants) -> tuple[tuple[str, Constant], ...]:
    return tuple(
        (name, tuple(value) if isinstance(value, list) else value) for name, value in table.items()
    )
