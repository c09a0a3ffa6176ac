"""The C++ examples: programs build, and print the expected outputs."""

import shutil
import subprocess
from pathlib import Path

import pytest

from maxcode.tasks import ProgramTask, load_task

CPP_EXAMPLES = Path(__file__).parents[2] / "examples" / "cpp"
COMPILER = shutil.which("g++") or ""
FOLDERS = sorted(path.parent for path in CPP_EXAMPLES.glob("*/main.cpp"))

each_example = pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)


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
