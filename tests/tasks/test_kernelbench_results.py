import json
from pathlib import Path

import pytest

from maxcode.errors import InputError
from maxcode.program import Program
from maxcode.tasks.kernelbench import (
    EvalResult,
    KernelName,
    RuntimeStats,
    read_eval_results,
    write_eval_results,
    write_kernel,
)

STATS = {
    "mean": 0.0312,
    "std": 0.00132,
    "min": 0.0297,
    "max": 0.0402,
    "num_trials": 100,
    "hardware": "NVIDIA H100",
    "device": "cuda:0",
}
RIGHT = {
    "sample_id": 0,
    "compiled": True,
    "correctness": True,
    "metadata": {"hardware": "NVIDIA H100", "correctness_trials": "(5 / 5)"},
    "runtime": 0.0312,
    "runtime_stats": STATS,
}
BROKEN = {
    "sample_id": 1,
    "compiled": False,
    "correctness": False,
    "metadata": {"compilation_error": "x"},
    "runtime": -1.0,
    "runtime_stats": {},
}


def saved(folder: Path, problems: object) -> Path:
    path = folder / "eval_results.json"
    path.write_text(json.dumps(problems))
    return path


def test_names_of_kernels() -> None:
    name = KernelName(2, 31, 4)
    assert str(name) == "level_2_problem_31_sample_4_kernel.py"
    assert KernelName.parse(str(name)) == name
    assert KernelName.parse("kernel.py") is KernelName.parse(f"{name}c") is None


def test_a_kernel_is_written_under_its_name(tmp_path: Path) -> None:
    name, program = KernelName(1, 2, 0), Program.of("a = 1\n", "kernel.py")
    path = write_kernel(tmp_path / "run", name, program)
    assert (path.name, path.read_text()) == (str(name), "a = 1\n")
    with pytest.raises(InputError, match="one file, not 2"):
        write_kernel(tmp_path, name, program.with_file("b", ""))


def test_results_are_read_and_written_as_they_are(tmp_path: Path) -> None:
    problems = {"7": [RIGHT, BROKEN], "19": [BROKEN]}
    path = saved(tmp_path, problems)
    results = read_eval_results(path)
    assert list(results) == [(7, 0), (7, 1), (19, 1)]
    assert results[7, 0].runtime_stats == RuntimeStats.model_validate(STATS)
    assert results[19, 1].runtime_stats == {}
    write_eval_results(path, {})
    assert json.loads(path.read_text()) == problems
    assert [one.name for one in tmp_path.iterdir()] == [path.name]


def test_the_older_layout_is_read(tmp_path: Path) -> None:
    assert read_eval_results(saved(tmp_path, {"7": RIGHT})).keys() == {(7, 0)}


def test_results_are_merged(tmp_path: Path) -> None:
    path = saved(tmp_path, {"19": BROKEN, "7": RIGHT})
    new = EvalResult(compiled=True, correctness=False, metadata={}, runtime=-1.0, runtime_stats={})
    write_eval_results(path, {(19, 0): new, (19, 1): new, (100, 0): new})
    merged = read_eval_results(path)
    assert list(merged) == [(7, 0), (19, 0), (19, 1), (100, 0)]
    assert merged[19, 1] == new
    write_eval_results(tmp_path / "new" / "file.json", {(1, 0): new})
    assert read_eval_results(tmp_path / "new" / "file.json") == {(1, 0): new}


@pytest.mark.parametrize(
    ("problems", "said"),
    [
        ([], "must be an object"),
        ({"seven": []}, "problem 'seven' is no number"),
        ({"7": [RIGHT, RIGHT]}, "problem 7 has sample 0 twice"),
        ({"7": [RIGHT | {"speed": 1}]}, "problem 7, sample 0: speed: Extra inputs"),
        (
            {"7": [{k: v for k, v in BROKEN.items() if k != "compiled"}]},
            "problem 7, sample 1: compiled: Field required",
        ),
        ({"7": [RIGHT | {"runtime": "fast"}]}, "problem 7, sample 0: runtime: Input should be"),
        (
            {"7": [RIGHT | {"runtime_stats": {"mean": 1.0}}]},
            r"sample 0: runtime_stats\..*std: Field required",
        ),
        ({"7": [3]}, r"problem 7, sample \?: the whole: "),
    ],
)
def test_what_is_wrong_is_named(problems: object, said: str, tmp_path: Path) -> None:
    path = saved(tmp_path, problems)
    with pytest.raises(InputError, match=said) as caught:
        read_eval_results(path)
    assert str(path) in str(caught.value)
    with pytest.raises(InputError):
        write_eval_results(path, {})  # nothing is lost of what cannot be understood
    assert json.loads(path.read_text()) == problems


def test_what_is_no_json_or_cannot_be_written(tmp_path: Path) -> None:
    path = tmp_path / "eval_results.json"
    path.write_text("{")
    with pytest.raises(InputError, match="not valid JSON"):
        read_eval_results(path)
    with pytest.raises(InputError, match="cannot write"):
        write_eval_results(path / "inside", {})
