"""The C++ examples: inputs come from their scripts, and outputs from programs that build."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from maxcode.tasks import ProgramTask, load_task

CPP_EXAMPLES = Path(__file__).parents[2] / "examples" / "cpp"
COMPILER = shutil.which("g++") or ""
FOLDERS = sorted(path.parent for path in CPP_EXAMPLES.glob("*/main.cpp"))

each_example = pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)


@each_example
def test_the_script_reproduces_the_committed_inputs(folder: Path, tmp_path: Path) -> None:
    subprocess.run([sys.executable, folder / "generate.py", tmp_path], check=True, timeout=60)
    written = {path.name: path.read_bytes() for path in (tmp_path / "tests").iterdir()}
    committed = {path.name: path.read_bytes() for path in (folder / "tests").glob("*.in")}
    assert written == committed
    assert len(committed) >= 3


@pytest.mark.slow
@each_example
@pytest.mark.skipif(not COMPILER, reason="g++ is not installed")
def test_the_program_builds_and_prints_the_expected_outputs(folder: Path, tmp_path: Path) -> None:
    binary = tmp_path / "program"
    flags = ["-O1", "-std=c++17", "-Wall", "-Werror"]
    subprocess.run([COMPILER, *flags, folder / "main.cpp", "-o", binary], check=True, timeout=120)
    task = load_task(folder)
    assert isinstance(task, ProgramTask)
    for test in task.tests:
        run = subprocess.run([binary], input=test.input, capture_output=True, check=True)
        assert task.judging.checker.difference(test.expected, run.stdout) is None, test.name
