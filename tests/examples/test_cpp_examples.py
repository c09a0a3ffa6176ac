"""The C++ examples: inputs come from their scripts, and outputs from programs that build."""

import math
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

CPP_EXAMPLES = Path(__file__).parents[2] / "examples" / "cpp"
COMPILER = shutil.which("g++")
FOLDERS = sorted(path.parent for path in CPP_EXAMPLES.glob("*/main.cpp"))

each_example = pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)


def read_task(folder: Path) -> dict[str, Any]:
    return tomllib.loads((folder / "task.toml").read_text(encoding="utf-8"))


def contents(folder: Path, pattern: str) -> dict[str, bytes]:
    """The bytes of each matching file, under its name without the suffix."""
    return {path.stem: path.read_bytes() for path in sorted(folder.glob(pattern))}


def assert_same_output(kind: str, actual: bytes, expected: bytes) -> None:
    if kind != "numbers":
        assert actual == expected
        return
    # The last digit that is printed may differ between processors.
    pairs = zip(actual.split(), expected.split(), strict=True)
    assert all(math.isclose(float(a), float(b), rel_tol=1e-6, abs_tol=1e-6) for a, b in pairs)


def test_there_are_examples_and_the_readme_lists_them_all() -> None:
    readme = (CPP_EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert len(FOLDERS) >= 8
    assert [folder.name for folder in FOLDERS if f"| `{folder.name}` |" not in readme] == []


@each_example
def test_every_input_has_an_expected_output(folder: Path) -> None:
    inputs = contents(folder / "tests", "*.in")
    assert len(inputs) >= 3
    assert inputs.keys() == contents(folder / "tests", "*.out").keys()


@each_example
def test_the_script_reproduces_the_committed_inputs(folder: Path, tmp_path: Path) -> None:
    subprocess.run([sys.executable, folder / "generate.py", tmp_path], check=True, timeout=60)
    assert contents(tmp_path / "tests", "*") == contents(folder / "tests", "*.in")


@pytest.mark.slow
@each_example
@pytest.mark.skipif(COMPILER is None, reason="g++ is not installed")
def test_the_program_builds_and_prints_the_expected_outputs(folder: Path, tmp_path: Path) -> None:
    assert COMPILER is not None
    binary = tmp_path / "program"
    flags = ["-O1", "-std=c++17", "-Wall", "-Werror"]
    subprocess.run([COMPILER, *flags, folder / "main.cpp", "-o", binary], check=True, timeout=120)
    kind = read_task(folder).get("check", {}).get("kind", "tokens")
    expected = contents(folder / "tests", "*.out")
    for name, text in contents(folder / "tests", "*.in").items():
        run = subprocess.run([binary], input=text, capture_output=True, check=True, timeout=60)
        assert_same_output(kind, run.stdout, expected[name])
