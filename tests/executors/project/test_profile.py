"""Where the time goes, by callgrind and by cProfile."""

from pathlib import Path

import pytest
from tests.executors.project._projects import BRIEF, FILES, TASK, written

from maxcode.executors.project.executor import ProjectExecutor
from maxcode.system import find_tool

pytestmark = pytest.mark.slow

WITH_FLAGS = TASK.replace('40000000"', '400000"\nflags = ""')
PYTHON = {
    "words/__init__.py": "",
    "words/count.py": "def slow(n):\n    return sum(str(i).count('1') for i in range(n))\n\n\n"
    "def fast(n):\n    return n\n",
    "bench_words.py": "from words.count import fast, slow\n\nfast(9)\nprint(slow(20000))\n",
    "task.toml": 'kind = "project"\nname = "words"\neditable = ["words/**"]\n\n[commands]\n'
    'bench = "python bench_words.py"\n',
}


@pytest.mark.parametrize(
    ("files", "hot"),
    [
        ({**FILES, "task.toml": WITH_FLAGS}, ("src/sum.c", "sum", range(6, 9))),
        ({**FILES, "task.toml": WITH_FLAGS.replace('flags = ""\n', "")}, ("src/sum.c", "sum", [3])),
        (PYTHON, ("words/count.py", "<genexpr>", [2])),
    ],
    ids=["lines", "functions", "python"],
)
def test_hot_code_is_found(
    files: dict[str, str], hot: tuple[str, str, range], tmp_path: Path
) -> None:
    if "words/count.py" not in files:
        find_tool("valgrind")
    task = written(tmp_path, files)
    with ProjectExecutor(score=BRIEF, confirm=BRIEF) as executor:
        executor.prepare(task)
        profile = executor.profile(task, task.baseline)
    assert profile is not None
    path, function, lines = hot
    first = profile.lines[0]
    assert (first.path, first.function, first.line in lines) == (path, function, True)
    assert first.share > 0.2
    assert profile.functions[0].name in ("sum", "slow", "<genexpr>")
    assert path in profile.text


def test_every_benchmark_is_profiled_and_protected_files_are_named(tmp_path: Path) -> None:
    bench = (
        "import sys\nfrom words.count import fast, slow\n\n\n"
        "def prepare():\n    return sorted(range(300000), key=lambda n: -n)\n\n\n"
        "print(slow(60000) if sys.argv[1] == 'one' else len(prepare()) + fast(1))\n"
    )
    commands = 'bench = ["python bench_words.py one", "python bench_words.py two"]'
    task_file = PYTHON["task.toml"].replace('bench = "python bench_words.py"', commands)
    task = written(tmp_path, {**PYTHON, "bench_words.py": bench, "task.toml": task_file})
    with ProjectExecutor(score=BRIEF, confirm=BRIEF) as executor:
        baseline = executor.prepare(task)
        profile = executor.profile(task, task.baseline)
    assert profile is not None
    first, second = profile.text.split("python bench_words.py two")
    assert "words/count.py" in first.split("function")[0]
    assert "% bench_words.py: protected" in " ".join(second.split())
    assert all(line.path == "words/count.py" for line in profile.lines)
    assert baseline.floor is not None
    assert 0 < baseline.floor < baseline.value
    assert "start: a process that does nothing takes" in baseline.machine
