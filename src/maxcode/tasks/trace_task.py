"""Kernel tasks from definitions of the FlashInfer-Trace schema: a reference, and its variants."""

from __future__ import annotations

import ast
import base64
import json
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from maxcode.errors import TaskError
from maxcode.files import read_bytes
from maxcode.tasks.kernel import KernelJudging, KernelTask, Variant
from maxcode.tasks.reference import CANDIDATE, INPUTS, MODEL, Constant
from maxcode.tasks.trace_format import (
    RUN,
    SOL,
    Definition,
    Input,
    Problem,
    Tensor,
    Workload,
    read_problem,
)

MAX_WORKLOADS = 4
"""How many workloads of a definition are judged on, unless a task says otherwise."""

_LARGEST = 4 << 20  # bytes of a tensor that becomes part of a reference
_SAFETENSORS = {"F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16"}
_SAFETENSORS |= {"F8_E4M3": "float8_e4m3fn", "F8_E5M2": "float8_e5m2", "BOOL": "bool"}
_SAFETENSORS |= {"I64": "int64", "I32": "int32", "I16": "int16", "I8": "int8"}
_POINTER = b"version https://git-lfs"

_STORED = '''def _stored(content, dtype, *shape):
    """A tensor from its compressed bytes."""
    held = bytearray(zlib.decompress(base64.b85decode(content)))
    return torch.frombuffer(held, dtype=dtype).reshape(shape)
'''


def load_definition_file(path: Path | str, judging: KernelJudging | None = None) -> KernelTask:
    """The task of a definition and the workloads beside it.

    It is judged on at most :data:`MAX_WORKLOADS` of them, from the largest, which is timed, to the
    smallest. Raises :class:`~maxcode.errors.TaskError` with the file and the field. Nothing of the
    definition is run.
    """
    path = Path(path)
    return trace_task(read_problem(path).at_most(MAX_WORKLOADS), judging or KernelJudging(), path)


def trace_task(
    problem: Problem,
    judging: KernelJudging,
    path: Path,
    name: str = "",
    statement: str = "",
    *,
    backward: bool = False,
    tools: tuple[str, ...] = (),
) -> KernelTask:
    """The task of a problem; each workload is a variant, and the first is timed.

    ``judging`` has no variants of its own, and no ``dtype``, since a definition has it. Raises
    :class:`~maxcode.errors.TaskError` with ``path``.
    """
    definition = problem.definition
    if judging.dtype:
        raise TaskError(f"{path}: dtype does not go with a definition, which has its own types")
    if judging.variants != KernelJudging().variants:
        raise TaskError(f"{path}: a definition's workloads are its variants; remove the others")
    try:
        source, variants = _Writer.of(problem).task()
        return KernelTask(
            name or definition.name,
            statement or _statement(definition),
            reference=source,
            judging=replace(judging, variants=variants),
            problem=problem,
            backward=backward,
            tools=tools,
        )
    except TaskError as error:
        raise TaskError(f"{path}: {error}") from error


def _statement(definition: Definition) -> str:
    parts = [definition.description or "", *(definition.constraints or ())]
    return "\n".join(filter(None, parts))


@dataclass(frozen=True)
class _Writer:
    """Writes the reference of a problem.

    ``names`` are the names of axes and constant inputs there, ``sizes`` the values of all axes in
    the first workload, and ``given`` the sources of its inputs.
    """

    problem: Problem
    names: Mapping[str, str]
    sizes: Mapping[str, int]
    given: Mapping[str, Input]

    @classmethod
    def of(cls, problem: Problem) -> _Writer:
        definition, first = problem.definition, problem.workloads[0]
        taken = _bound(definition.reference) | {"torch", "zlib", "base64", "_stored", *INPUTS}
        for name in (MODEL, CANDIDATE, *INPUTS):
            if name in _bound(definition.reference):
                raise TaskError(f"its reference defines {name}, which tasks need for themselves")
        names: dict[str, str] = {}
        for one in (*definition.axes, *definition.inputs):
            name = one
            while name in taken or name in names.values():
                name += "_"
            names[one] = name
        given = {name: _input(first, name) for name in definition.inputs}
        for workload in problem.workloads:
            for name, usual in given.items():
                if _input(workload, name).type != usual.type:
                    raise TaskError(
                        f"input {name!r} is {usual.type} in workload {first.uuid} and "
                        f"{_input(workload, name).type} in {workload.uuid}; keep workloads of one "
                        "of both in its file"
                    )
        return cls(problem, names, definition.sizes(first), given)

    def task(self) -> tuple[str, tuple[Variant, ...]]:
        """The source, and a variant for each workload."""
        definition, first = self.problem.definition, self.problem.workloads[0]
        variants = tuple(
            Variant(one.uuid, tuple(self._constants(one))) for one in self.problem.workloads
        )
        stored = any(one.type == "safetensors" for one in self.given.values())
        modules = ["base64", "zlib", "torch"] if stored else ["torch"]
        bound = _bound(definition.reference)
        imports = "".join(f"import {one}\n" for one in modules if one not in bound)
        constants = [f"{name} = {value!r}" for name, value in self._constants(first)]
        fixed = (
            f"{self.names[name]} = {axis.value}"
            for name, axis in definition.axes.items()
            if axis.type == "const"
        )
        derived = (
            f"{self.names[name]} = int({self._expression(axis.expression)})"
            for name, axis in definition.axes.items()
            if axis.expression is not None
        )
        parts = [
            definition.reference.strip("\n"),
            self._module(),
            "\n".join([*fixed, *constants, *derived]),
            *([_STORED.strip("\n")] if stored else []),
            self._get_inputs(),
            "def get_init_inputs():\n    return []",
        ]
        source = "\n\n\n".join(filter(None, parts)) + "\n"
        # What comes from the future, and a docstring, have to stay first.
        at = _after_future(definition.reference.strip("\n"))
        head, rest = source.split("\n")[:at], source.split("\n")[at:]
        return "\n".join([*head, *imports.splitlines(), *rest]), variants

    def _constants(self, workload: Workload) -> Iterator[tuple[str, Constant]]:
        """A workload's constants, by their names in the reference."""
        definition = self.problem.definition
        sizes = definition.sizes(workload)
        for name, axis in definition.axes.items():
            if axis.type == "var":
                yield self.names[name], sizes[name]
        for name, tensor in definition.inputs.items():
            given = _input(workload, name)
            if given.type == "scalar" and given.value is not None:
                yield self.names[name], given.value
            elif given.type == "safetensors":
                held = _stored(given, tensor, _shape(tensor, sizes), self.problem.folders)
                where = f"workload {workload.uuid}, input {name!r}"
                if isinstance(held, str):
                    raise TaskError(f"{where}: {held}")
                yield self.names[name], base64.b85encode(zlib.compress(held, 9)).decode()

    def _expression(self, text: str) -> str:
        tree = ast.parse(text, mode="eval")
        for node in ast.walk(tree):
            if isinstance(node, ast.Name):
                node.id = self.names[node.id]
        return ast.unparse(tree)

    def _module(self) -> str:
        """Class Model, whose forward is ``run``; it returns tensors in the order of outputs."""
        definition = self.problem.definition
        names = ", ".join(definition.inputs)
        head = f"class {MODEL}(torch.nn.Module):\n    def forward(self, {names}):\n"
        outputs, call = [*definition.outputs], f"{RUN}({names})"
        if len(outputs) == 1 and not _returns_several(definition.reference):
            return f"{head}        return {call}"
        named = f"[found[name] for name in {outputs!r}]"
        ordered = f"        found = {call}\n        if isinstance(found, dict):\n"
        ordered += f"            found = {named}\n"
        if len(outputs) == 1:
            return f"{head}{ordered}        return found[0] if isinstance(found, (list, tuple)) else found"  # noqa: E501
        return f"{head}{ordered}        return tuple(found)"

    def _get_inputs(self) -> str:
        """The function to make the arguments of forward."""
        definition, lines = self.problem.definition, ["def get_inputs():"]
        if any(one.type == "custom" for one in self.given.values()):
            known = [*definition.axes]
            known += [name for name, one in self.given.items() if one.type == "scalar"]
            table = ", ".join(f"{name!r}: {self.names[name]}" for name in known)
            call = f"{definition.custom_inputs_entrypoint}({{{table}}}, torch.device('cpu'))"
            lines.append(f"    {self._custom} = {call}")
        lines.append("    return [")
        for name, tensor in definition.inputs.items():
            lines.append(f"        {self._made(name, tensor)},")
        return "\n".join([*lines, "    ]"])

    @property
    def _custom(self) -> str:
        """Names in ``get_inputs`` of the inputs from the definition's own function."""
        return f"_made_by_{self.problem.definition.custom_inputs_entrypoint}"

    def _made(self, name: str, tensor: Tensor) -> str:
        given, sizes = self.given[name], self._size(tensor)
        if given.type == "scalar":
            return self.names[name]
        if given.type == "custom":
            return f"{self._custom}[{name!r}]"
        if given.type == "safetensors":
            return f"_stored({self.names[name]}, torch.{tensor.dtype}, {sizes})"
        if tensor.shape is None:
            kind = "float" if tensor.dtype.startswith(("float", "bfloat")) else "int"
            return f"{kind}({_drawn('()', tensor.dtype)})"
        shape = f"({sizes},)" if sizes else "()"
        definition = self.problem.definition
        made = None
        if self.problem.mode == SOL:
            made = _by_name(name, tensor, shape)
        made = made or _drawn(shape, tensor.dtype)
        return f"torch.softmax({made}, -1)" if _is_sampled(definition, name) else made

    def _size(self, tensor: Tensor) -> str:
        return ", ".join(self.names.get(axis, axis) for axis in tensor.shape or ())


def _is_sampled(definition: Definition, name: str) -> bool:
    return definition.op_type == "sampling" and name == "probs"


def _input(workload: Workload, name: str) -> Input:
    return workload.inputs.get(name) or Input(type="random")


def _shape(tensor: Tensor, sizes: Mapping[str, int]) -> list[int]:
    return [sizes[axis] if axis in sizes else int(axis) for axis in tensor.shape or ()]


def _bound(source: str) -> set[str]:
    """Names bound at the top level of a source, in any way."""
    found: set[str] = set()
    for statement in ast.parse(source).body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(statement.name)
            continue
        for node in ast.walk(statement):
            if isinstance(node, ast.alias):
                found.add((node.asname or node.name).partition(".")[0])
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found.add(node.id)
    return found


def _after_future(source: str) -> int:
    """The number of lines after which imports may come."""
    last = 0
    for number, node in enumerate(ast.parse(source).body):
        text = number == 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if text or (isinstance(node, ast.ImportFrom) and node.module == "__future__"):
            last = node.end_lineno or 0
    return last


def _returns_several(source: str) -> bool:
    """Whether ``run`` may return something else than a tensor."""
    functions = [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]
    nodes = (part for node in functions if node.name == RUN for part in ast.walk(node))
    returns = (node.value for node in nodes if isinstance(node, ast.Return))
    return any(isinstance(one, ast.Dict | ast.Tuple | ast.List | ast.Name) for one in returns)


# Values at random, as both benchmarks draw them.


def _drawn(shape: str, dtype: str) -> str:
    if dtype.startswith("float4"):
        raise TaskError(f"random inputs of {dtype} are not supported; use stored ones")
    if dtype.startswith("float8"):
        return f"torch.randn({shape}).clamp(-2.0, 2.0).to(torch.{dtype})"
    if dtype == "bool":
        return f"torch.randint(0, 2, {shape}, dtype=torch.bool)"
    if dtype.startswith("int"):
        low, high = (-128, 128) if dtype == "int8" else (-1024, 1024)
        return f"torch.randint({low}, {high}, {shape}, dtype=torch.{dtype})"
    return f"torch.randn({shape}, dtype=torch.{dtype})"


_PLAIN = ("float64", "float32", "float16", "bfloat16")


def _by_name(name: str, tensor: Tensor, shape: str) -> str | None:
    """SOL-ExecBench's draw for an input of that name; None for the usual draw."""
    if tensor.dtype not in _PLAIN:
        return None
    dtype, about = f"torch.{tensor.dtype}", (tensor.description or "").lower()
    drawn, square = f"torch.randn({shape}, dtype={dtype})", (tensor.shape or [])[-2:]
    causal = len(square) == 2 and square[0] == square[1]
    causal = causal and (
        name in ("attention_mask", "causal_mask")
        or ("attention mask" in about and "causal" in about)
    )
    binary = ("x_mask", "text_mask", "aspect_ratio_mask", "drop_mask", "attention_mask")
    words = ("binary", "{0, 1}", "0 or 1", "1.0 for valid", "0.0 for masked")
    uniform = f"torch.empty({shape}, dtype={dtype}).uniform_"
    rules: list[tuple[bool, str]] = [
        (_is_norm(name, "weight"), f"torch.ones({shape}, dtype={dtype})"),
        (_is_norm(name, "bias"), f"torch.zeros({shape}, dtype={dtype})"),
        (causal, f"torch.full({shape}, torch.finfo({dtype}).min, dtype={dtype}).triu(1)"),
        (
            name in binary or (name.endswith("_mask") and any(one in about for one in words)),
            f"torch.randint(0, 2, {shape}).to({dtype})",
        ),
        (name in ("cos", "cos_cached", "rope_cos"), f"torch.randn({shape}).cos().to({dtype})"),
        (name in ("sin", "sin_cached", "rope_sin"), f"torch.randn({shape}).sin().to({dtype})"),
        (_is_spread(name), f"{drawn}.abs() + 0.1"),
        (name == "A_cumsum", f"{uniform}(-0.1, 0.0).cumsum(-1)"),
        (name == "A_log", f"{uniform}(-5.0, -1.0)"),
        (name == "A", f"{uniform}(-1.0, -0.001)"),
        (name == "g", f"{uniform}(-5.0, 0.0)"),
        (
            name in ("attn_weights", "attention_weights", "routing_weights")
            or ("softmax" in about and "output" in about),
            f"torch.softmax(torch.randn({shape}), -1).to({dtype})",
        ),
        (_is_matrix(name, tensor), f"{drawn} / {shape}[-1] ** 0.5"),
    ]
    return next((made for fits, made in rules if fits), None)


def _is_norm(name: str, part: str) -> bool:
    before = name.removesuffix(f"_{part}").rstrip("0123456789")
    return name == f"norm_{part}" or (
        name.endswith(f"_{part}") and before.endswith(("norm", "layernorm"))
    )


def _is_spread(name: str) -> bool:
    names = ("rstd", "std", "variance", "var")
    base = name.rstrip("0123456789")
    return base in names or base.endswith(tuple(f"_{one}" for one in names))


def _is_matrix(name: str, tensor: Tensor) -> bool:
    base = name.rstrip("0123456789")
    ends = ("_weight", "_weights", "_proj", "_projs", "_weight_matrix")
    return len(tensor.shape or ()) > 1 and (base == "weight" or base.endswith(ends))


# Tensors that files hold.


def _stored(
    given: Input, tensor: Tensor, shape: list[int], folders: tuple[Path, ...]
) -> bytes | str:
    """The bytes of a tensor; or the mistake.

    The format is described at https://huggingface.co/docs/safetensors: eight bytes with the length
    of a header, the header in JSON, and the bytes it refers to.
    """
    path = stored_file(given, folders)
    if path is None:
        return f"there is no file {given.path} in any folder above the workloads"
    data = read_bytes(path, TaskError)
    if data.startswith(_POINTER):
        return f"{path} is a pointer of Git LFS; fetch its content with: git lfs pull"
    try:
        end = 8 + int.from_bytes(data[:8], "little")
        header: dict[str, Any] = json.loads(data[8:end])
        entry = header[given.tensor_key or ""]
        begin, stop = entry["data_offsets"]
        found, held = _SAFETENSORS.get(entry["dtype"], entry["dtype"]), data[end:][begin:stop]
        found_shape = list(entry["shape"])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        return f"{path} holds no tensor {given.tensor_key!r} ({type(error).__name__}: {error})"
    if (found, found_shape) != (tensor.dtype, shape):
        return f"{path} holds {found} of shape {found_shape}, not {tensor.dtype} of {shape}"
    if len(held) > _LARGEST or not held:
        return (
            f"{path} holds {len(held):,} bytes of it; between 1 and {_LARGEST:,} can become part "
            "of a reference"
        )
    return held


def stored_file(given: Input, folders: tuple[Path, ...]) -> Path | None:
    """Where the file of an input is: some end of its path, in any folder above the workloads."""
    parts = given.inside.parts
    ends = [Path(*parts[start:]) for start in range(len(parts))]
    paths = (folder / end for folder in folders for end in ends)
    return next((path for path in paths if path.is_file()), None)
