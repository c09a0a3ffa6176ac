from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from maxcode.errors import GeneratorError, InputError
from maxcode.generators.pool import PoolGenerator, with_own_file
from maxcode.interfaces import Generator
from maxcode.observation import Observation
from maxcode.program import Program
from maxcode.task import Task
from maxcode.tasks import load_task
from maxcode.testing import GeneratorContract, sample_observations, sample_task

EXAMPLE = Path(__file__).parents[2] / "examples" / "kernels" / "softmax"

Observed = Callable[..., Observation]


class TestPoolGenerator(GeneratorContract):
    never_repeats = True

    def make(self) -> Generator:
        return PoolGenerator(EXAMPLE / "candidates")

    def task(self) -> Task:
        return load_task(EXAMPLE)


@pytest.fixture
def pool(tmp_path: Path) -> Path:
    for name in ("a", "b", "c", "d", "e"):
        (tmp_path / f"{name}.cpp").write_text(f"// {name}\n")
    (tmp_path / "a.py").write_text("# a\n")
    return tmp_path


def names(generator: Generator, observation: Observation, n: int = 9) -> list[str]:
    return [proposal.summary for proposal in generator.propose(observation, n)]


def fresh(task: Task | None = None, seed: int = 0) -> Observation:
    return replace(sample_observations(task or sample_task())[0], seed=seed)


def test_every_candidate_comes_once_in_an_order_that_the_seed_decides(pool: Path) -> None:
    generator = PoolGenerator(str(pool))
    orders = [names(generator, fresh(seed=seed)) for seed in range(20)]
    assert {tuple(sorted(order)) for order in orders} == {
        ("a.cpp", "b.cpp", "c.cpp", "d.cpp", "e.cpp")
    }
    assert len({tuple(order) for order in orders}) > 10
    assert names(generator, fresh(seed=7), 2) == orders[7][:2]


def test_a_file_stands_for_the_entry_of_the_program(pool: Path) -> None:
    task = sample_task()
    task = replace(task, baseline=task.baseline.with_file("lib.hpp", "// lib\n"))
    for proposal in PoolGenerator(pool).propose(fresh(task), 9):
        program = proposal.program
        assert program is not None
        assert program == task.baseline.with_code(f"// {proposal.summary[0]}\n")
        assert proposal.tags == (proposal.summary,)


def test_a_file_takes_the_place_of_its_own(tmp_path: Path) -> None:
    program = Program({"main.cpp": "m", "lib/twice.cpp": "t", "lib/twice.hpp": "h"}, "main.cpp")
    for name, place in (("twice.cpp", "lib/twice.cpp"), ("mine.cpp", "main.cpp")):
        (tmp_path / name).write_text("mine")
        assert with_own_file(program, tmp_path / name) == program.with_file(place, "mine")
    (tmp_path / "twice.h").write_text("")
    with pytest.raises(InputError, match="is no file of the program; its files: "):
        with_own_file(program, tmp_path / "twice.h")


def test_a_folder_is_a_whole_program(pool: Path) -> None:
    for path in (
        "many/main.cpp",
        "many/lib/a.hpp",
        "many/.git/x",
        "other/kernel.py",
        ".x/main.cpp",
    ):
        (pool / path).parent.mkdir(parents=True, exist_ok=True)
        (pool / path).write_text(f"// {path}\n")
    (pool / "many" / "__pycache__").mkdir()
    (pool / "many" / "__pycache__" / "x.pyc").write_bytes(b"\xff")
    found = {p.summary: p.program for p in PoolGenerator(pool).propose(fresh(), 9)}
    assert found.keys() == {"a.cpp", "b.cpp", "c.cpp", "d.cpp", "e.cpp", "many"}
    files = {"main.cpp": "// many/main.cpp\n", "lib/a.hpp": "// many/lib/a.hpp\n"}
    assert found["many"] == Program(files, "main.cpp")


def test_nothing_is_proposed_that_is_known(pool: Path, observed: Observed) -> None:
    (pool / "again.cpp").write_text("// a\n")  # the same program under another name
    task = replace(sample_task(), baseline=Program.of("// e\n"))
    shown = observed(task, (0, "", 2.0, Program.of("// c\n")))
    found = PoolGenerator(pool).propose(replace(shown, seed=1), 9)
    assert sorted(p.program.code for p in found if p.program) == ["// a\n", "// b\n", "// d\n"]


@pytest.fixture
def pools(tmp_path: Path) -> Path:
    """Candidates of several tasks; b/x has a folder of its own in that of b."""
    for path in ("a/one.cpp", "b/one.cpp", "b/many/main.cpp", "b/x/two.cpp", "top.cpp", "c/x.py"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(f"// {path}\n")
    return tmp_path


def called(name: str) -> Observation:
    return fresh(replace(sample_task(), name=name))


def test_each_task_has_a_folder_of_candidates(pools: Path) -> None:
    generator = PoolGenerator(pools, by_task=True)
    assert names(generator, called("a")) == ["one.cpp"]
    assert names(generator, called("a/some/thing")) == ["one.cpp"]
    assert sorted(names(generator, called("b"))) == ["many", "one.cpp"]
    assert names(generator, called("b/x")) == ["two.cpp"]
    assert sorted(names(generator, called("b/y"))) == ["many", "one.cpp"]
    (proposal,) = generator.propose(called("b/x"), 9)
    assert proposal.program == sample_task().baseline.with_code("// b/x/two.cpp\n")


def test_what_has_no_candidates_is_told(pools: Path, tmp_path: Path) -> None:
    generator = PoolGenerator(pools, by_task=True)
    with pytest.raises(GeneratorError, match=r"for task 'd/x': .* has no folder d/x/ or d/$"):
        generator.propose(called("d/x"), 1)
    with pytest.raises(GeneratorError, match=r"/c/? holds no candidate for task 'c': .* \.cpp"):
        generator.propose(called("c"), 1)
    with pytest.raises(InputError, match=r"there is no folder of candidates .*nothing"):
        PoolGenerator(tmp_path / "nothing")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "notes.md").write_text("x")
    with pytest.raises(InputError, match="holds no candidates"):
        PoolGenerator(tmp_path / "notes")


def test_a_file_that_cannot_be_read_is_named(pool: Path) -> None:
    (pool / "f.cpp").write_bytes("// x\n".encode("utf-16"))
    with pytest.raises(InputError, match=r"f\.cpp: no source text, but UTF-16"):
        PoolGenerator(pool)
