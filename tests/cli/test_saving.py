"""Where a faster program goes: nothing of the user's is overwritten unasked."""

from collections.abc import Callable
from pathlib import Path

import pytest

from maxcode.budget import Budget
from maxcode.cli.summary import check_place, save
from maxcode.errors import InputError
from maxcode.policies.best_of_n import BestOfN
from maxcode.program import Program
from maxcode.search.result import Result
from maxcode.search.search import Search
from maxcode.task import Task
from maxcode.testing import ScriptedExecutor, ScriptedGenerator


def _found(baseline: Program, better: Program) -> Result:
    return Search(
        Task("two words", "", baseline),
        generator=ScriptedGenerator([better]),
        executor=ScriptedExecutor({baseline.digest: 1.0, better.digest: 2.0}),
        policy=BestOfN(n=1),
        budget=Budget(evaluations=1),
    ).run()


@pytest.fixture
def result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Result:
    monkeypatch.chdir(tmp_path)
    return _found(Program.of("slow"), Program.of("fast"))


def test_a_free_name_is_taken(result: Result, tmp_path: Path) -> None:
    (tmp_path / "two-words.fast.cpp").write_text("somebody else's")
    path = tmp_path / "two-words-2.fast.cpp"
    assert save(result, None) == path
    assert path.read_text() == "fast"
    assert (tmp_path / "two-words.fast.cpp").read_text() == "somebody else's"


@pytest.mark.parametrize("there", ["fast", "slow"])
def test_a_step_of_the_same_run_may_be_replaced(result: Result, tmp_path: Path, there: str) -> None:
    (tmp_path / "two-words.fast.cpp").write_text(there)
    assert save(result, None) == tmp_path / "two-words.fast.cpp"
    assert (tmp_path / "two-words.fast.cpp").read_text() == "fast"


def test_out_is_overwritten_and_its_folder_made(result: Result, tmp_path: Path) -> None:
    for _ in range(2):
        assert save(result, "new/best.cpp") == tmp_path / "new" / "best.cpp"
    assert (tmp_path / "new" / "best.cpp").read_text() == "fast"


@pytest.fixture
def several() -> Callable[[str], Program]:
    return lambda text: Program({"main.cpp": text, "part/a.h": "a"}, "main.cpp")


def test_several_files_cannot_replace_one(
    several: Callable[[str], Program], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.cpp").write_text("mine")
    task = Task("two", "", several("slow"))
    with pytest.raises(InputError, match="of several files needs a folder"):
        check_place("mine.cpp", task)
    check_place("mine.cpp", Task("one", "", Program.of("slow")))
    check_place("folder", task)
    check_place(None, task)


def test_several_files_go_into_a_folder(
    result: Result, several: Callable[[str], Program], tmp_path: Path
) -> None:
    path = tmp_path / "two-words.fast"
    assert save(_found(several("slow"), several("fast")), None) == path
    assert (path / "main.cpp").read_text() == "fast"
    assert (path / "part" / "a.h").read_text() == "a"
