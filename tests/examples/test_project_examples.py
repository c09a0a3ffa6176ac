"""The example projects: each is built, tested and measured, and a change of it is judged."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.executors.project._projects import BRIEF

from maxcode.executors.project.executor import ProjectExecutor
from maxcode.tasks.project import load_project_folder

PROJECTS = Path(__file__).parents[2] / "examples" / "projects"

FASTER = {  # a file, a part of it, and what to put in its place
    "wordfreq": ("src/words.c", "fgetc(file)", "getc_unlocked(file)", 5, 1),
    "ledger": ("src/csv.cpp", "field = field + line[i];", "field += line[i];", 4, 1),
    "anagrams": ("anagrams/groups.py", "left = list(second)", "left = [*second]", 4, 1),
    "intervals": ("src/parse.cpp", "parse(std::string text)", "parse(std::string text )", 3, 1),
    "spelling": ("spelling/words.py", "self.known.append(word)", "self.known += [word]", 5, 2),
}


@pytest.fixture(scope="module")
def executor() -> Iterator[ProjectExecutor]:
    with ProjectExecutor(score=BRIEF, confirm=BRIEF) as executor:
        yield executor


def test_all_examples_are_tried() -> None:
    assert {path.parent.name for path in PROJECTS.glob("*/task.toml")} == FASTER.keys()


@pytest.mark.slow
@pytest.mark.parametrize("name", FASTER)
def test_an_example_is_judged(name: str, executor: ProjectExecutor) -> None:
    if name == "anagrams":
        pytest.importorskip("pytest_benchmark")
    if name == "intervals" and not any(Path("/usr").glob("l*/**/cmake/benchmark")):
        pytest.skip("apt install cmake libbenchmark-dev")
    path, before, after, tests, benchmarks = FASTER[name]
    task = load_project_folder(PROJECTS / name)
    executor.prepare(task)
    assert len(executor.tests(task)) == tests
    assert len(task.commands.bench) == benchmarks
    text = task.baseline.files[path]
    assert before in text
    verdict = executor.evaluate(task, task.baseline.with_file(path, text.replace(before, after)))
    assert verdict.ok, verdict
