"""Solutions of the FlashInfer-Trace schema as candidates, and candidates as solutions."""

from __future__ import annotations

import ast
from pathlib import Path, PurePosixPath

from maxcode.errors import InputError, TaskError
from maxcode.program import Program
from maxcode.tasks.kernel import ENTRY, KernelTask
from maxcode.tasks.reference import CANDIDATE, PythonSource
from maxcode.tasks.trace_format import (
    SOL,
    BuildSpec,
    Problem,
    Solution,
    Tensor,
    read_solution,
)

_PYTHON = ("python", "pytorch", "triton", "cute_dsl", "tilelang")
_COMPILED = ("cuda", "cuda_cpp", "cpp")
_UNITS = (".cu", ".cpp", ".cc", ".cxx", ".c")
_HEADERS = (".h", ".hpp", ".cuh", ".inc", ".inl")
_MAIN = "main.py"
_OURS = f'"""Calls {CANDIDATE}, as a task of maxcode has it."""'
_FOLDER = "solution"
_INSIDE = f"""import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "{_FOLDER}"))
sys.modules.pop("kernel", None)  # the solution has a file of this name, too
"""
_INLINE = ("load_inline", "cpp_extension")


def load_solution(path: Path, task: KernelTask) -> Program:
    """The candidate in a solution's file.

    Raises :class:`~maxcode.errors.InputError` for a task without a definition, and
    :class:`~maxcode.errors.TaskError`, naming the file, for a solution of another definition, or in
    a language or with a binding unknown here.
    """
    if task.problem is None:
        raise InputError(
            f"{path} is a solution of a definition, and task {task.name!r} is made of none"
        )
    solution = read_solution(path)
    try:
        return program_of(solution, task.problem)
    except TaskError as error:
        raise TaskError(f"{path}: {error}") from error


def program_of(solution: Solution, problem: Problem) -> Program:
    """A solution as a candidate: its files, and class ``ModelNew``, which calls its function."""
    definition = problem.definition
    if solution.definition != definition.name:
        raise TaskError(f"it solves {solution.definition!r}, and the task is {definition.name!r}")
    languages = solution.spec.named
    if all(one in _PYTHON for one in languages):
        return _python(solution, problem)
    if all(one in _COMPILED for one in languages):
        return _compiled(solution, problem)
    known = ", ".join((*_PYTHON, *_COMPILED))
    raise TaskError(f"solutions in {', '.join(languages)} are not judged here; known: {known}")


def _python(solution: Solution, problem: Problem) -> Program:
    files = {one.path: one.content for one in solution.sources}
    entry, function = solution.entry_file, solution.entry_function
    if PurePosixPath(entry).suffix != ".py":
        raise TaskError(f"entry_point {solution.spec.entry_point!r} names no Python file")
    if ENTRY in files and files.get(_MAIN, "").startswith(_OURS):  # a candidate once
        return Program({path: text for path, text in files.items() if path != _MAIN}, ENTRY)
    if entry != ENTRY and len(files) == 1:  # one file is what a model can change best
        files = {ENTRY: files[entry]}
    elif entry != ENTRY:
        module, before = PurePosixPath(entry).with_suffix("").as_posix().replace("/", "."), ""
        if ENTRY in files:
            files, before = {f"{_FOLDER}/{path}": text for path, text in files.items()}, _INSIDE
        files[ENTRY] = f"{before}from {module} import {function}\n"
    code = files[ENTRY].rstrip("\n")
    taken = {
        one.name
        for one in PythonSource.parse(code, entry).tree.body
        if isinstance(one, ast.ClassDef | ast.FunctionDef)
    }
    if CANDIDATE in taken:
        raise TaskError(f"{entry} defines {CANDIDATE}, which is what candidates are called by")
    text = "" if "torch" in _imported(code) else "import torch\n\n\n"
    wrapper = text + _wrapper(function, solution.spec, problem)
    return Program({**files, ENTRY: f"{code}\n\n\n{wrapper}"}, ENTRY)


def _imported(code: str) -> set[str]:
    """Modules bound under their own names at the top level."""
    body = ast.parse(code).body
    aliases = (alias for node in body if isinstance(node, ast.Import) for alias in node.names)
    return {alias.name.partition(".")[0] for alias in aliases if alias.asname is None}


def _compiled(solution: Solution, problem: Problem) -> Program:
    spec = solution.spec
    theirs = "torch" if problem.mode == SOL else "tvm-ffi"
    if (spec.binding or theirs) != "torch":
        raise TaskError(
            f"its binding is {spec.binding or theirs}, and here extensions are torch's; bind its "
            "function with PYBIND11_MODULE and set binding to torch"
        )
    files = {one.path: one.content for one in solution.sources}
    units = {path: text for path, text in files.items() if path.endswith(_UNITS)}
    cuda = [path for path in units if path.endswith(".cu")]
    plain = [path for path in units if path not in cuda]
    if len(cuda) > 1 or len(plain) > 1:
        raise TaskError(
            f"it has {len(cuda)} CUDA and {len(plain)} C++ files to compile, and here an extension "
            "is made of at most one of each; put them together"
        )
    for path in plain + cuda:
        files[path] = _with_headers(path, files)
    options = spec.compile_options
    flags = {
        "extra_cflags": [*options.cflags] if options else [],
        "extra_cuda_cflags": [*options.cuda_cflags] if options else [],
        "extra_ldflags": [*options.ld_flags] if options else [],
    }
    given = "".join(f"    {name}={value!r},\n" for name, value in flags.items() if value)
    code = (
        "import torch\nfrom torch.utils.cpp_extension import load\n\n"
        f"solution = load(\n    name='solution',\n    sources={[*plain, *cuda]!r},\n{given})\n\n\n"
        + _wrapper(f"solution.{solution.entry_function}", spec, problem)
    )
    units = {path: files[path] for path in plain + cuda}
    return Program({**units, ENTRY: code}, ENTRY)


def _with_headers(path: str, files: dict[str, str]) -> str:
    """A file's text with the solution's own headers in the place of their includes."""
    seen: set[str] = set()

    def text_of(name: str) -> str:
        lines = []
        for line in files[name].splitlines():
            words = line.strip().removeprefix("#").strip()
            quoted = words.removeprefix("include").strip()
            if not (words.startswith("include") and quoted.startswith('"')):
                lines.append(line)
                continue
            wanted = quoted[1:].partition('"')[0]
            beside = PurePosixPath(name).parent / wanted
            header = next((one for one in (str(beside), wanted) if one in files), None)
            if header is None or not header.endswith(_HEADERS):
                lines.append(line)
            elif header not in seen:
                seen.add(header)
                lines.append(text_of(header))
        return "\n".join(lines)

    # "#pragma once" holds in headers alone: each is in the text once anyway.
    kept = (line for line in text_of(path).splitlines() if line.strip() != "#pragma once")
    return "\n".join(kept) + "\n"


def _wrapper(function: str, spec: BuildSpec, problem: Problem) -> str:
    """Class ``ModelNew``, which calls a function of that name."""
    definition = problem.definition
    inputs, outputs = [*definition.inputs], [*definition.outputs]
    head = f"class {CANDIDATE}(torch.nn.Module):\n"
    head += f"    def forward(self, {', '.join(inputs)}):\n"
    if not spec.destination_passing_style:
        call = f"{function}({', '.join(inputs)})"
        if len(outputs) == 1:
            lines = [
                f"found = {call}",
                f"if isinstance(found, dict):\n    found = found[{outputs[0]!r}]",
            ]
            last = "return found[0] if isinstance(found, (list, tuple)) else found"
        else:
            named = ", ".join(f"found[{one!r}]" for one in outputs)
            lines = [f"found = {call}", f"if isinstance(found, dict):\n    found = [{named}]"]
            last = "return tuple(found)"
        return head + _indented([*lines, last])
    lines = [*_axes(problem)]
    device = next((f"{name}.device" for name, one in definition.inputs.items() if one.shape), None)
    # One benchmark hands over whatever the memory holds, the other zeros.
    make = "zeros" if problem.mode == SOL else "empty"
    for name, tensor in definition.outputs.items():
        where = f", device={device}" if device else ""
        lines.append(
            f"{name} = torch.{make}({_shape(tensor)}, dtype=torch.{_dtype(tensor)}{where})"
        )
    lines.append(f"{function}({', '.join([*inputs, *outputs])})")
    several = ", ".join(outputs)
    return head + _indented([*lines, f"return {several}"])


def _indented(lines: list[str]) -> str:
    return "".join(f"        {one}\n" for line in lines for one in line.split("\n"))


def _axes(problem: Problem) -> list[str]:
    """Lines to find the axes of outputs from the shapes of inputs."""
    definition, found, lines = problem.definition, set[str](), []
    wanted = {axis for one in definition.outputs.values() for axis in one.shape or ()}
    for name, axis in definition.axes.items():
        if axis.expression is not None and name in wanted:
            tree = ast.walk(ast.parse(axis.expression))
            wanted |= {node.id for node in tree if isinstance(node, ast.Name)}
    for name, axis in definition.axes.items():
        if name in wanted and axis.type == "const":
            lines.append(f"{name} = {axis.value}")
            found.add(name)
    for name, tensor in definition.inputs.items():
        for dim, one in enumerate(tensor.shape or ()):
            if one in wanted and one not in found and one in definition.axes:
                lines.append(f"{one} = {name}.shape[{dim}]")
                found.add(one)
    for name, axis in definition.axes.items():
        if name in wanted and name not in found and axis.expression is not None:
            lines.append(f"{name} = int({axis.expression})")
            found.add(name)
    if missing := sorted(one for one in wanted - found if not one.isdigit()):
        raise TaskError(
            f"axis {missing[0]!r} of its outputs is that of no input, so they cannot be made "
            "before the call; use destination_passing_style = false"
        )
    return lines


def _shape(tensor: Tensor) -> str:
    return f"({''.join(f'{one}, ' for one in tensor.shape or ()).strip()})"


def _dtype(tensor: Tensor) -> str:
    return "float4_e2m1fn_x2" if tensor.dtype == "float4_e2m1" else tensor.dtype
