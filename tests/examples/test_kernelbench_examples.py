"""The examples in KernelBench's format: each has candidates, right ones and a wrong one."""

from pathlib import Path

from maxcode.tasks import load_kernelbench

EXAMPLES = Path(__file__).parents[2] / "examples" / "kernelbench"


def test_each_task_has_candidates() -> None:
    tasks = [task for level in (1, 2) for task in load_kernelbench(EXAMPLES, level)]
    assert all(task.statement for task in tasks)
    solutions = EXAMPLES / "solutions"
    folders = {f"{path.parent.name}/{path.name}" for path in solutions.glob("*/*")}
    assert folders == {task.name for task in tasks}
    for folder in folders:
        names = {path.stem for path in (solutions / folder).glob("*.py")}
        assert len(names) >= 3
        assert "wrong" in names
