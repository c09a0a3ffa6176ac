"""Definitions, workloads and solutions of the FlashInfer-Trace schema, from small files."""

import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from maxcode.errors import TaskError
from maxcode.program import Program
from maxcode.tasks import KernelJudging, KernelTask, load_task
from maxcode.tasks.folder import save_definition
from maxcode.tasks.trace_format import Definition, Solution, read_problem
from maxcode.tasks.trace_solution import load_solution, program_of
from maxcode.tasks.trace_task import load_definition_file

DEFINITION: dict[str, Any] = {
    "name": "scaled_rows",
    "op_type": "rmsnorm",
    "description": "Rows times a weight.",
    "axes": {
        "rows": {"type": "var"},
        "width": {"type": "const", "value": 8},
        "total": {"type": "expr", "expression": "rows * width // 2"},
    },
    "inputs": {
        "x": {"shape": ["rows", "width"], "dtype": "bfloat16"},
        "weight": {"shape": ["width"], "dtype": "float32"},
        "eps": {"shape": None, "dtype": "float32"},
    },
    "outputs": {
        "y": {"shape": ["rows", "width"], "dtype": "bfloat16"},
        "halves": {"shape": ["total"], "dtype": "float32"},
    },
    "reference": "import torch\n\ndef run(x, weight, eps):\n"
    "    y = x.float() * weight + eps\n"
    "    return {'halves': y.reshape(-1)[::2], 'y': y.to(x.dtype)}\n",
    "constraints": ["rows > 0"],
    "hf_id": "somebody/model",
}
INPUTS = {"x": {"type": "random"}, "weight": {"type": "random"}}
WORKLOADS: list[dict[str, Any]] = [
    {
        "uuid": f"w{rows}",
        "axes": {"rows": rows},
        "inputs": {**INPUTS, "eps": {"type": "scalar", "value": eps}},
    }
    for rows, eps in ((2, 1e-5), (16, 1e-6), (4, 0), (6, 1e-5), (8, 1e-5))
]
SOLUTION: dict[str, Any] = {
    "name": "by_hand",
    "definition": "scaled_rows",
    "author": "somebody",
    "spec": {
        "languages": ["pytorch"],
        "target_hardware": ["LOCAL"],
        "entry_point": "main.py::fill",
    },
    "sources": [
        {
            "path": "main.py",
            "content": "import torch\n\ndef fill(x, weight, eps, y, halves):\n"
            "    y.copy_(x * weight + eps)\n    halves.copy_(y.reshape(-1)[::2])\n",
        }
    ],
}
Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a definition with changes, and workloads; gives the definition's path."""

    def write(workloads: list[Any] = WORKLOADS, **changes: Any) -> Path:
        path = tmp_path / "definition.json"
        path.write_text(json.dumps(DEFINITION | changes))
        lines = "".join(f"{json.dumps(one)}\n" for one in workloads)
        (tmp_path / "workload.jsonl").write_text(lines)
        return path

    return write


def called(task: KernelTask, number: int = 0) -> tuple[Any, list[Any], Any]:
    """What a variant's reference returns, its inputs, and the names it defines."""
    names: dict[str, Any] = {}
    exec(task.reference_of(task.judging.variants[number]), names)  # noqa: S102 - written here
    inputs = names["get_inputs"]()
    return names["Model"]()(*inputs), inputs, names


def test_workloads_become_variants_and_the_largest_is_timed(write: Write) -> None:
    task = load_task(write())
    assert isinstance(task, KernelTask)
    assert (task.name, task.statement) == ("scaled_rows", "Rows times a weight.\nrows > 0")
    assert [one.name for one in task.judging.variants] == ["w16", "w8", "w4", "w2"]
    assert task.problem
    assert task.problem.mode == "sol-execbench"
    (y, halves), (x, weight, eps), _ = called(task)
    assert (list(x.shape), str(x.dtype), eps) == ([16, 8], "torch.bfloat16", 1e-6)
    assert (list(y.shape), list(halves.shape), list(weight.shape)) == ([16, 8], [64], [8])
    assert called(task, 2)[1][2] == 0
    assert "get_inputs" not in task.baseline.code


def test_lines_that_are_traces_make_it_flashinfer_benchs(tmp_path: Path) -> None:
    place = tmp_path / "definitions" / "norm" / "scaled_rows.json"
    there = tmp_path / "workloads" / "norm" / "scaled_rows.jsonl"
    for path in (place, there):
        path.parent.mkdir(parents=True)
    place.write_text(json.dumps(DEFINITION))
    traces = [{"definition": "scaled_rows", "workload": one} for one in WORKLOADS]
    other = {"definition": "another", "workload": WORKLOADS[0]}
    there.write_text("\n".join(map(json.dumps, [other, *traces])))
    problem = read_problem(place)
    assert (problem.mode, len(problem.workloads)) == ("flashinfer-bench", 5)
    made = save_definition(tmp_path / "made", place)
    again = load_task(tmp_path / "made")
    assert isinstance(again, KernelTask)
    assert again.problem
    assert again.problem.mode == "flashinfer-bench"
    assert (again.digest, again.reference) == (made.digest, made.reference)


def stored(path: Path, key: str, dtype: str, shape: list[int], data: bytes) -> None:
    """A file of safetensors, by the format's own description."""
    entry = {"dtype": dtype, "shape": shape, "data_offsets": [0, len(data)]}
    header = json.dumps({key: entry}).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(struct.pack("<Q", len(header)) + header + data)


def test_tensors_of_files_and_inputs_of_the_references_own(write: Write, tmp_path: Path) -> None:
    given = {"type": "safetensors", "path": "./blob/w.safetensors", "tensor_key": "w"}
    workload = {**WORKLOADS[0], "inputs": {**WORKLOADS[0]["inputs"], "weight": given}}
    stored(tmp_path / "blob" / "w.safetensors", "w", "F32", [8], struct.pack("<8f", *range(8)))
    save_definition(tmp_path / "made", write([workload]))
    task = load_task(tmp_path / "made")
    assert isinstance(task, KernelTask)
    assert called(task)[1][1].tolist() == [*map(float, range(8))]
    stored(tmp_path / "made" / "blob" / "w.safetensors", "w", "F32", [4], b"\0" * 16)
    with pytest.raises(TaskError, match=r"input 'weight': .*float32 of shape \[4\], not float32"):
        load_task(tmp_path / "made")
    (tmp_path / "made" / "blob" / "w.safetensors").write_bytes(b"version https://git-lfs\n")
    with pytest.raises(TaskError, match="git lfs pull"):
        load_task(tmp_path / "made")

    made = "def made(sizes, device):\n    import torch\n"
    made += "    return {n: torch.full((sizes['rows'], 8), 2.) for n in ('x', 'weight', 'eps')}\n\n"
    custom = {**WORKLOADS[0], "inputs": {key: {"type": "custom"} for key in DEFINITION["inputs"]}}
    path = write(
        [custom], reference=made + DEFINITION["reference"], custom_inputs_entrypoint="made"
    )
    assert [*called(load_definition_file(path))[1][0].shape] == [2, 8]


def test_names_draw_what_sol_execbench_draws(write: Write) -> None:
    inputs = {
        name: {"shape": ["rows", "rows"], "dtype": "float32"}
        for name in ("norm_weight", "attention_mask", "rstd", "A_log", "q_proj")
    }
    reference = f"def run({', '.join(inputs)}):\n    return norm_weight, A_log\n"
    workload = {"uuid": "w", "axes": {"rows": 6}, "inputs": {}}
    path = write([workload], inputs=inputs, reference=reference)
    _, (weight, mask, spread, decay, matrix), _ = called(load_definition_file(path))
    assert bool((weight == 1).all())
    assert bool((mask.tril() == 0).all())
    assert float(mask[0, 1]) < -1e38
    assert float(spread.min()) >= 0.1
    assert -5 <= float(decay.min()) <= float(decay.max()) <= -1
    assert float(matrix.std()) < 0.8


def test_a_task_made_by_hand_keeps_its_digest_and_other_modes_need_a_definition() -> None:
    source = "class Model: pass\ndef get_inputs(): pass\ndef get_init_inputs(): pass\n"
    plain = KernelTask("one", "", reference=source)
    assert b"".join(plain.content()).endswith(repr(KernelJudging()).encode())
    with pytest.raises(TaskError, match="goes with a definition"):
        KernelTask("one", "", reference=source, judging=KernelJudging("sol-execbench"))


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "no axis": ({"inputs": {"x": {"shape": ["n"], "dtype": "int8"}}}, "'n', which is not among"),
    "no type": ({"inputs": {"x": {"shape": [], "dtype": "int9"}}}, r"inputs\.x: .*dtype 'int9'"),
    "no run": ({"reference": "def walk(): pass"}, "no function 'run'"),
    "no Python": ({"reference": "def"}, "not valid Python"),
    "code in an axis": (
        {"axes": {"rows": {"type": "expr", "expression": "open('/etc/passwd')"}}},
        "more than arithmetic",
    ),
    "no value": ({"axes": {"rows": {"type": "const"}}}, r"axes\.rows: .*needs a value"),
    "a name that is no name": ({"outputs": {"y z": {"shape": [], "dtype": "bool"}}}, "no name"),
    "a class that is ours": ({"reference": "class Model: 1\ndef run(x): pass"}, "defines Model"),
    "four bits": ({"inputs": {"x": {"shape": [], "dtype": "float4_e2m1"}}}, "not supported"),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_with_a_definition_is_said(what: str, write: Write) -> None:
    changes, message = WRONG[what]
    workload = {"uuid": "w", "axes": {"rows": 6}, "inputs": {}}
    with pytest.raises(TaskError, match=message) as caught:
        load_task(write([workload], **changes))
    assert "definition.json" in str(caught.value)


def test_what_is_wrong_with_workloads_is_said(write: Write, tmp_path: Path) -> None:
    for workloads, message in (
        ([{**WORKLOADS[0], "axes": {}}], "workload w2: axis 'rows' has no value"),
        ([{"uuid": "w"}], "workload.jsonl, line 1: axes: this field is missing"),
        ([{**WORKLOADS[0], "inputs": {"z": {"type": "random"}}}], "'z' is no input"),
        ([{**WORKLOADS[0], "inputs": {"x": {"type": "custom"}}}], "no custom_inputs_entrypoint"),
        (
            [
                {
                    **WORKLOADS[0],
                    "inputs": {"x": {"type": "safetensors", "path": "a/../b", "tensor_key": "k"}},
                }
            ],
            "leads out of its folder",
        ),
        ([], "has no workload"),
        ([WORKLOADS[0], {**WORKLOADS[1], "inputs": INPUTS}], "'eps' is random in workload w16 and"),
    ):
        with pytest.raises(TaskError, match=message):
            load_task(write(workloads))
    (tmp_path / "workload.jsonl").unlink()
    with pytest.raises(TaskError, match="its workloads are missing"):
        load_task(tmp_path / "definition.json")


def test_keys_that_do_not_go_together_are_refused(write: Write, tmp_path: Path) -> None:
    write()
    source = "class Model: pass\ndef get_inputs(): pass\ndef get_init_inputs(): pass\n"
    (tmp_path / "reference.py").write_text(source)
    for line, message in (
        ('definition = "definition.json"\ndtype = "float16"', "dtype does not go with"),
        ("max_workloads = 2", "max_workloads goes with a definition"),
    ):
        (tmp_path / "task.toml").write_text(f'name = "a"\n[kernel]\n{line}\n')
        with pytest.raises(TaskError, match=rf"task\.toml: kernel: {message}"):
            load_task(tmp_path)


def solution(**changes: Any) -> Solution:
    """The solution with another spec."""
    sources = changes.pop("sources", SOLUTION["sources"])
    return Solution.model_validate(
        {**SOLUTION, "sources": sources, "spec": SOLUTION["spec"] | changes}
    )


def ran(program: Program, inputs: list[Any]) -> Any:
    names: dict[str, Any] = {}
    exec(program.code, names)  # noqa: S102 - written here
    return names["ModelNew"]()(*inputs)


def test_a_solution_gets_places_for_its_outputs_or_returns_them(write: Write) -> None:
    task = load_definition_file(write())
    assert task.problem
    _, inputs, _ = called(task)
    y, halves = ran(program_of(solution(), task.problem), inputs)
    assert (list(y.shape), str(y.dtype), list(halves.shape)) == ([16, 8], "torch.bfloat16", [64])
    source = DEFINITION["reference"].replace("import torch", "")
    program = program_of(
        solution(
            entry_point="other.py::run",
            destination_passing_style=False,
            sources=[{"path": "other.py", "content": source}],
        ),
        task.problem,
    )
    assert [one.shape for one in ran(program, inputs)] == [y.shape, halves.shape]


def test_a_compiled_solution_is_one_extension(write: Write) -> None:
    problem = read_problem(write())
    sources = [
        {"path": "src/a.h", "content": "#pragma once\nint one();"},
        {"path": "src/a.cpp", "content": '#include "a.h"\n#include <vector>\n// a'},
        {"path": "src/a.cu", "content": '#include "src/a.h"\n// b'},
    ]
    flags = {"cuda_cflags": ["-O2"]}
    program = program_of(
        solution(
            languages=["cuda_cpp"],
            entry_point="src/a.cpp::go",
            sources=sources,
            compile_options=flags,
        ),
        problem,
    )
    assert program.files["src/a.cpp"] == "int one();\n#include <vector>\n// a\n"
    assert program.files["src/a.cu"] == "int one();\n// b\n"
    assert "solution.go(x, weight, eps, y, halves)" in program.code
    assert "extra_cuda_cflags=['-O2']" in program.code


def test_solutions_that_cannot_be_judged_are_refused(write: Write, tmp_path: Path) -> None:
    task, path = load_definition_file(write()), tmp_path / "solution.json"
    two = [{"path": f"{name}.cu", "content": " "} for name in "ab"]
    for changes, message in (
        ({"languages": ["cutile"]}, "cutile are not judged here"),
        ({"language": "cuda", "languages": None, "binding": "tvm-ffi"}, "binding is tvm-ffi"),
        ({"languages": ["cuda_cpp"], "entry_point": "a.cu::f", "sources": two}, "has 2 CUDA"),
        ({"entry_point": "fill"}, "entry_point is like"),
        ({"entry_point": "none.py::fill"}, "names 'none.py', which is no source"),
        ({"sources": [{"path": "../main.py", "content": ""}]}, "no plain path"),
    ):
        spec = {**SOLUTION["spec"], **{k: v for k, v in changes.items() if k != "sources"}}
        sources = changes.get("sources", SOLUTION["sources"])
        path.write_text(json.dumps({**SOLUTION, "spec": spec, "sources": sources}))
        with pytest.raises(TaskError, match=message) as caught:
            load_solution(path, task)
        assert str(path) in str(caught.value)
    path.write_text(json.dumps({**SOLUTION, "definition": "another"}))
    with pytest.raises(TaskError, match="it solves 'another'"):
        load_solution(path, task)


def test_what_a_file_holds_besides_is_kept() -> None:
    assert Definition.model_validate(DEFINITION).model_dump()["hf_id"] == "somebody/model"
