from dataclasses import replace

import pytest

from maxcode.errors import TaskError
from maxcode.program import Program
from maxcode.task import Task

_BASELINE = Program({"main.cpp": "slow", "lib/a.h": "1", "lib/b.h": "2"}, "main.cpp")
_TASK = Task("sum", "Add the numbers.", _BASELINE, ("main.cpp", "lib/a.h"), "c++")


def test_editable_files_must_exist() -> None:
    with pytest.raises(TaskError, match=r"'sum'.*'gone\.h'.*main\.cpp"):
        Task("sum", "", _BASELINE, ("main.cpp", "gone.h"))


def test_only_editable_files_may_change() -> None:
    changed = _BASELINE.with_code("fast").with_file("lib/a.h", "11")
    assert _TASK.forbidden_changes(_BASELINE) == []
    assert _TASK.forbidden_changes(changed) == []
    assert _TASK.forbidden_changes(changed.with_file("lib/b.h", "22")) == ["lib/b.h"]
    assert _TASK.forbidden_changes(changed.with_file("new.h", "")) == ["new.h"]
    assert _TASK.forbidden_changes(Program({"main.cpp": ""}, "main.cpp")) == ["lib/b.h"]


def test_by_default_every_file_of_the_baseline_may_change_but_none_be_added() -> None:
    task = replace(_TASK, editable=())
    changed = Program(dict.fromkeys(_BASELINE.files, "new"), "main.cpp")
    assert task.forbidden_changes(changed) == []
    assert task.forbidden_changes(changed.with_file("new.h", "")) == ["new.h"]


def test_all_that_decides_a_verdict_is_in_the_digest() -> None:
    variants = [
        _TASK,
        replace(_TASK, name="product"),
        replace(_TASK, statement="Add."),
        replace(_TASK, baseline=_BASELINE.with_code("slower")),
        replace(_TASK, editable=("main.cpp",)),
        replace(_TASK, editable=()),
        replace(_TASK, language=""),
        replace(_TASK, name="sumAdd", statement=" the numbers."),
    ]
    assert len({task.digest for task in variants}) == len(variants)
