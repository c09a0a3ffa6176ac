"""The examples in KernelBench's format: they load, and each has candidates."""

from pathlib import Path

import pytest

from maxcode.tasks import KernelTask, load_kernelbench

EXAMPLES = Path(__file__).parents[2] / "examples" / "kernelbench"
TASKS = [task for level in (1, 2) for task in load_kernelbench(EXAMPLES, level)]

each_task = pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)


@each_task
def test_each_says_what_it_computes_and_has_candidates(task: KernelTask) -> None:
    assert task.statement
    folder = EXAMPLES / "solutions" / task.name
    names = sorted(path.stem for path in folder.glob("*.py"))
    assert len(names) >= 3
    assert "wrong" in names
    for path in folder.glob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert "class ModelNew(" in text, path
        assert text.startswith('"""Wrong: ' if path.stem == "wrong" else '"""'), path


def test_solutions_belong_to_a_task() -> None:
    folders = {f"{path.parent.name}/{path.name}" for path in EXAMPLES.glob("solutions/*/*")}
    assert folders == {task.name for task in TASKS}
