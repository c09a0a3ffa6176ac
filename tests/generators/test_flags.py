from pathlib import Path

import pytest

from maxcode.errors import GeneratorError
from maxcode.executors.project.tools import strange_flags
from maxcode.generators.flags import ALLOCATORS, FlagsGenerator
from maxcode.interfaces import Generator
from maxcode.task import Task
from maxcode.tasks import load_task
from maxcode.tasks.project import FLAGS_FILE, TRAINED
from maxcode.testing import GeneratorContract, sample_observations, sample_task

EXAMPLE = Path(__file__).parents[2] / "examples" / "projects" / "wordfreq"


class TestFlagsGenerator(GeneratorContract):
    never_repeats = True

    def make(self) -> Generator:
        return FlagsGenerator()

    def task(self) -> Task:
        return load_task(EXAMPLE)


def test_it_changes_nothing_but_flags_that_may_be_set() -> None:
    task = load_task(EXAMPLE)
    [observation, *_] = sample_observations(task)
    proposals = FlagsGenerator(ALLOCATORS).propose(observation, 99)
    assert len(proposals) > 5
    tried = {one.program.files[FLAGS_FILE].strip() for one in proposals if one.program}
    assert tried >= {"-ljemalloc", f"-O2 {TRAINED}"}
    for one in proposals:
        assert one.program is not None
        assert task.baseline.changed(one.program) == [FLAGS_FILE]
        assert strange_flags(one.program.files[FLAGS_FILE]) == []


@pytest.mark.parametrize(
    "flag",
    ["-fplugin=x.so", "-fprofile-use=/etc/passwd", "-levil", "-include", "@file", "-B.", "-O2;rm"],
)
def test_flags_that_read_or_run_something_may_not_be_set(flag: str) -> None:
    assert strange_flags(f"-O3 {flag}") == [flag]


def test_a_program_without_flags_is_an_error() -> None:
    with pytest.raises(GeneratorError, match="no compiler flags"):
        FlagsGenerator().propose(sample_observations(sample_task())[0], 1)
