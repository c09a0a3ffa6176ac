"""Files of FlashInfer-Bench and SOL-ExecBench: definitions, workloads, solutions and traces.

Both use the schema FlashInfer-Trace (https://github.com/flashinfer-ai/flashinfer-bench, folder
docs/flashinfer-trace), extended by SOL-ExecBench (https://github.com/NVIDIA/SOL-ExecBench, folder
docs) with axes as expressions, inputs made by a function of the reference, and a tolerance for each
workload. Unlisted fields are kept as they are.
"""

from __future__ import annotations

import ast
import json
import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError, model_validator

from maxcode.errors import TaskError
from maxcode.files import read_text
from maxcode.tasks.toml import Model, problem_message

FLASHINFER, SOL = "flashinfer-bench", "sol-execbench"
TRACE_MODES = (FLASHINFER, SOL)
"""Modes of judging: by whose rules a kernel is correct and timed."""

RUN = "run"
"""The function of a reference that computes the outputs."""

_Name = Annotated[str, Field(min_length=1)]
_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.UAdd)
_EXPRESSION = (ast.Expression, ast.BinOp, ast.UnaryOp, ast.Name, ast.Load, ast.USub, *_OPERATORS)
_DTYPES = (
    *("float64", "float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2"),
    *("float4_e2m1", "float4_e2m1fn_x2", "int64", "int32", "int16", "int8", "bool"),
)


class Part(BaseModel):
    """A part of a file; unknown fields are kept."""

    model_config = ConfigDict(extra="allow", frozen=True)


class Axis(Part):
    """A dimension: a constant ``value``, a value of workloads, or an ``expression`` of others.

    Expressions are of whole numbers and names of axes, with arithmetic operators alone.
    """

    type: Literal["const", "var", "expr"]
    value: Annotated[int, Field(ge=0)] | None = None
    expression: str | None = None

    @model_validator(mode="after")
    def _complete(self) -> Axis:
        if self.type == "const" and self.value is None:
            raise ValueError("a const axis needs a value")
        if self.type == "expr":
            self._check_expression()
        return self

    def _check_expression(self) -> None:
        try:
            nodes = [*ast.walk(ast.parse(self.expression or "", mode="eval"))]
        except (SyntaxError, ValueError) as error:
            raise ValueError(f"not an expression: {self.expression!r}") from error
        for node in nodes:
            number = isinstance(node, ast.Constant) and type(node.value) in (int, float)
            if not number and not isinstance(node, _EXPRESSION):
                raise ValueError(f"more than arithmetic in an axis: {self.expression!r}")


class Tensor(Part):
    """An input or output: the names of its axes, or numbers; without a ``shape`` it is a number."""

    shape: list[str] | None
    dtype: str
    description: str | None = None

    @model_validator(mode="after")
    def _known(self) -> Tensor:
        if self.dtype not in _DTYPES:
            raise ValueError(f"unknown dtype {self.dtype!r}; known: {', '.join(_DTYPES)}")
        return self


class Definition(Part):
    """A computation: tensors by name, in the order of arguments, and a ``reference``.

    ``reference`` is Python source with a function ``run`` from the inputs to the outputs.
    """

    name: _Name
    op_type: str | None = None
    description: str | None = None
    axes: dict[_Name, Axis]
    inputs: dict[_Name, Tensor]
    outputs: Annotated[dict[_Name, Tensor], Field(min_length=1)]
    reference: _Name
    constraints: list[str] | None = None
    custom_inputs_entrypoint: str | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Definition:
        if both := sorted(self.inputs.keys() & self.outputs.keys()):
            raise ValueError(f"{both[0]!r} is both an input and an output")
        for name in (*self.axes, *self.inputs, *self.outputs):
            if not name.isidentifier():
                raise ValueError(f"{name!r} is no name that Python code can use")
        for name, tensor in (*self.inputs.items(), *self.outputs.items()):
            for axis in tensor.shape or ():
                if axis not in self.axes and not axis.isdigit():
                    raise ValueError(f"{name!r} has an axis {axis!r}, which is not among the axes")
        try:
            body = ast.parse(self.reference).body
        except (SyntaxError, ValueError) as error:
            raise ValueError(f"the reference is not valid Python: {error}") from error
        wanted = [RUN, *filter(None, [self.custom_inputs_entrypoint])]
        functions = {one.name for one in body if isinstance(one, ast.FunctionDef)}
        for name in wanted:
            if name not in functions:
                raise ValueError(f"the reference defines no function {name!r}")
        return self

    def sizes(self, workload: Workload) -> dict[str, int]:
        """The value of each axis in a workload. Raises :class:`~maxcode.errors.TaskError`."""
        found = {name: axis.value or 0 for name, axis in self.axes.items() if axis.type == "const"}
        for name, axis in self.axes.items():
            if axis.type == "var":
                if name not in workload.axes:
                    raise TaskError(f"workload {workload.uuid}: axis {name!r} has no value")
                found[name] = workload.axes[name]
        for name, axis in self.axes.items():
            if axis.expression is not None:
                try:
                    value = _evaluated(ast.parse(axis.expression, mode="eval").body, found)
                    whole = int(value)
                except (ArithmeticError, KeyError, ValueError) as error:
                    raise TaskError(
                        f"workload {workload.uuid}: axis {name!r}: {axis.expression} has no "
                        f"value: {error}"
                    ) from error
                if value != whole:
                    raise TaskError(
                        f"workload {workload.uuid}: axis {name!r}: {axis.expression} is {value}, "
                        "which is no whole number"
                    )
                found[name] = whole
        return found

    def elements(self, workload: Workload) -> int:
        """How many numbers the inputs and outputs of a workload have."""
        sizes = self.sizes(workload)
        shapes = [one.shape or () for one in (*self.inputs.values(), *self.outputs.values())]
        return sum(math.prod(sizes[a] if a in sizes else int(a) for a in shape) for shape in shapes)


def _evaluated(node: ast.expr, values: Mapping[str, int]) -> float:
    """The value of an expression checked by :class:`Axis`. Nothing of it is run."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return node.value
    if isinstance(node, ast.Name):
        return values[node.id]
    if isinstance(node, ast.UnaryOp):
        value = _evaluated(node.operand, values)
        return -value if isinstance(node.op, ast.USub) else value
    assert isinstance(node, ast.BinOp)  # noqa: S101
    a, b = _evaluated(node.left, values), _evaluated(node.right, values)
    return _ARITHMETIC[type(node.op)](a, b)


_ARITHMETIC: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: math.pow,  # which overflows instead of growing for ever
}


class Input(Part):
    """Where a workload's input comes from.

    "random" values, a "scalar" ``value``, the tensor ``tensor_key`` of the "safetensors" file
    ``path``, or "custom": from the definition's function.
    """

    type: Literal["random", "scalar", "safetensors", "custom"]
    value: bool | int | float | None = None
    path: str | None = None
    tensor_key: str | None = None

    @property
    def inside(self) -> PurePosixPath:
        """Its path, from a folder on."""
        path = PurePosixPath(self.path or "")
        return path.relative_to(path.anchor)

    @model_validator(mode="after")
    def _complete(self) -> Input:
        if self.type == "scalar" and self.value is None:
            raise ValueError("a scalar needs a value")
        if self.type == "safetensors" and not (self.path and self.tensor_key):
            raise ValueError("safetensors need a path and a tensor_key")
        if ".." in PurePosixPath(self.path or "").parts:
            raise ValueError(f"the path of a tensor leads out of its folder: {self.path!r}")
        return self


class Tolerance(Part):
    """SOL-ExecBench's: by how much elements may be off, and which share of them must not be."""

    max_atol: float = 1e-2
    max_rtol: float = 1e-2
    required_matched_ratio: float = 0.99
    max_error_cap: float | None = None
    allow_negative_inf: bool = False


class Workload(Part):
    """Values of the variable axes, and where inputs come from."""

    uuid: _Name
    axes: dict[str, Annotated[int, Field(ge=0)]]
    inputs: dict[str, Input]
    tolerance: Tolerance | None = None


class Source(Part):
    """A file of a solution."""

    path: _Name
    content: str

    @model_validator(mode="after")
    def _inside(self) -> Source:
        path = PurePosixPath(self.path)
        if path.is_absolute() or ".." in path.parts or str(path) != self.path:
            raise ValueError(f"{self.path!r} is no plain path inside the solution")
        return self


class CompileOptions(Part):
    """Flags of the compilers of C++ and CUDA, and of the linker."""

    cflags: list[str] = []
    cuda_cflags: list[str] = ["-O3", "--use_fast_math"]
    ld_flags: list[str] = ["-lcuda"]


class BuildSpec(Part):
    """How a solution is built and called: ``entry_point`` is like "main.py::run".

    FlashInfer-Bench has a ``language``, SOL-ExecBench several ``languages``. In destination passing
    style outputs are the last arguments, and nothing is returned.
    """

    language: str | None = None
    languages: list[str] | None = None
    target_hardware: list[str]
    entry_point: str
    dependencies: list[str] = []
    destination_passing_style: bool = True
    binding: str | None = None
    compile_options: CompileOptions | None = None

    @model_validator(mode="after")
    def _complete(self) -> BuildSpec:
        if not self.named:
            raise ValueError("language or languages is missing")
        if self.entry_point.count("::") != 1:
            raise ValueError(f"entry_point is like main.py::run, not {self.entry_point!r}")
        return self

    @property
    def named(self) -> list[str]:
        """The languages."""
        return [*(self.languages or ()), *filter(None, [self.language])]


class Solution(Part):
    """An implementation of a definition."""

    name: _Name
    definition: _Name
    author: _Name
    spec: BuildSpec
    sources: Annotated[list[Source], Field(min_length=1)]
    description: str | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Solution:
        paths = [one.path for one in self.sources]
        if doubled := [a for a, b in pairwise(sorted(paths)) if a == b]:
            raise ValueError(f"{doubled[0]!r} is given twice")
        if self.entry_file not in paths:
            raise ValueError(f"entry_point names {self.entry_file!r}, which is no source")
        return self

    @property
    def entry_file(self) -> str:
        """The file with the called function."""
        return self.spec.entry_point.partition("::")[0]

    @property
    def entry_function(self) -> str:
        """The called function."""
        return self.spec.entry_point.partition("::")[2]


class TraceEvaluation(Part):
    """The verdict on a solution for a workload, with times in milliseconds."""

    status: str
    environment: dict[str, JsonValue]
    timestamp: str
    log: str = ""
    correctness: dict[str, JsonValue] | None = None
    performance: dict[str, float] | None = None


class Trace(Part):
    """A workload of a definition, and a solution's evaluation on it, if there is any."""

    definition: str
    workload: Workload
    solution: str | None = None
    evaluation: TraceEvaluation | None = None


@dataclass(frozen=True, slots=True)
class Problem:
    """A definition and the workloads to judge on, with whose rules go with it: ``mode``.

    ``folders`` are where paths of tensors may begin.
    """

    definition: Definition
    workloads: tuple[Workload, ...]
    mode: str
    folders: tuple[Path, ...] = ()

    def __post_init__(self) -> None:
        if not self.workloads:
            raise TaskError(f"definition {self.definition.name!r} has no workload to judge it on")
        uuids = [one.uuid for one in self.workloads]
        if doubled := [a for a, b in pairwise(sorted(uuids)) if a == b]:
            raise TaskError(f"there are two workloads {doubled[0]!r}")

    def workload(self, uuid: str) -> Workload:
        """The workload with that name."""
        return next(one for one in self.workloads if one.uuid == uuid)

    def at_most(self, count: int) -> Problem:
        """The same with so many workloads, of all sizes; the largest comes first, to be timed."""
        ordered = sorted(self.workloads, key=self.definition.elements, reverse=True)
        last, most = len(ordered) - 1, min(count, len(ordered))
        chosen = [ordered[round(n * last / max(most - 1, 1))] for n in range(most)]
        return replace(self, workloads=tuple(chosen))

    def content(self) -> str:
        """Everything verdicts depend on, as JSON."""
        parts = [one.model_dump_json(exclude_none=True) for one in self.workloads]
        return "\n".join([self.mode, self.definition.model_dump_json(exclude_none=True), *parts])


def read_problem(path: Path, workloads: Path | None = None) -> Problem:
    """The definition in a file and its workloads, by default those in the file beside it.

    That is "workload.jsonl" in the same folder, or the file with the same name below "workloads" if
    the definition's is below "definitions". Lines of traces make it FlashInfer-Bench's. Raises
    :class:`~maxcode.errors.TaskError` with the file and the field.
    """
    text = read_text(path, TaskError, "utf-8-sig")
    definition = _parsed(Definition, _json(text, str(path)), str(path))
    found = workloads or _beside(path)
    given, traced = [], False
    for number, line in enumerate(read_text(found, TaskError, "utf-8-sig").splitlines(), 1):
        where = f"{found}, line {number}"
        if not line.strip():
            continue
        values = _json(line, where)
        if not (isinstance(values, dict) and "workload" in values):
            given.append(_parsed(Workload, values, where))
            continue
        trace = _parsed(Trace, values, where)
        if trace.definition == definition.name:
            given.append(trace.workload)
            traced = True
    unique = {one.uuid: one for one in given}
    for one in unique.values():
        _check_inputs(definition, one, str(found))
    mode = FLASHINFER if traced else SOL
    return Problem(definition, (*unique.values(),), mode, (*found.resolve().parents,))


def _check_inputs(definition: Definition, workload: Workload, where: str) -> None:
    for name, given in workload.inputs.items():
        if name not in definition.inputs:
            raise TaskError(f"{where}: workload {workload.uuid}: {name!r} is no input")
        if given.type == "custom" and not definition.custom_inputs_entrypoint:
            raise TaskError(
                f"{where}: workload {workload.uuid}: {name!r} is custom, and the definition names "
                "no custom_inputs_entrypoint"
            )
    definition.sizes(workload)


def _beside(path: Path) -> Path:
    resolved = path.resolve()
    names = [path.with_name("workload.jsonl")]
    for parent in resolved.parents:
        if parent.name == "definitions":
            below = resolved.relative_to(parent).with_suffix(".jsonl")
            names.append(parent.with_name("workloads") / below)
    found = next((one for one in names if one.is_file()), None)
    if found is None:
        raise TaskError(
            f"{path}: its workloads are missing: there is no {' or '.join(map(str, names))}"
        )
    return found


def read_solution(path: Path) -> Solution:
    """A solution. Raises :class:`~maxcode.errors.TaskError` with the file and the field."""
    text = read_text(path, TaskError, "utf-8-sig")
    return _parsed(Solution, _json(text, str(path)), str(path))


def _json(text: str, where: str) -> object:
    try:
        values: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise TaskError(f"{where}: not valid JSON: {error}") from error
    return values


def _parsed(model: type[Model], values: object, where: str) -> Model:
    try:
        return model.model_validate(values)
    except ValidationError as error:
        problems = [
            f"{where}: {'.'.join(map(str, one['loc'])) or 'the whole'}: "
            f"{problem_message(one, 'field')}"
            for one in error.errors(include_url=False)
        ]
        raise TaskError("\n".join(problems)) from error


def as_name(text: str) -> str:
    """A text as part of a solution's name."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "_", text).strip("_") or "task"


def lines(parts: Sequence[BaseModel]) -> str:
    """Parts of a file, a line each."""
    return "".join(f"{one.model_dump_json(exclude_none=True)}\n" for one in parts)
