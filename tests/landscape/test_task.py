"""Points as programs."""

from dataclasses import replace

import pytest

from maxcode.errors import InputError
from maxcode.evaluation import Status
from maxcode.landscape import Landscape, Terrain

TASK = Landscape.on(Terrain(size=4, choices=3))


def test_a_program_says_a_point() -> None:
    program = TASK.write((2, 0, 1, 0))
    assert (
        program.code == "site 0: choice 2\nsite 1: choice 0\nsite 2: choice 1\nsite 3: choice 0\n"
    )
    assert TASK.read(program) == (2, 0, 1, 0)
    assert TASK.read(TASK.baseline) == TASK.terrain.origin


def test_comments_and_empty_lines_say_nothing() -> None:
    program = TASK.write((2, 0, 1, 0))
    told = program.with_code(f"// an idea\n\n{program.code}// the end")
    assert TASK.read(told) == (2, 0, 1, 0)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("int main() {", r"point.txt:3: error: expected 'site 2: choice 0' to '... 2'"),
        ("site 1: choice 0", r"point.txt:3: error: expected 'site 2: choice 0' to '... 2'"),
        ("site 2: choice 3", r"point.txt:3: error: expected 'site 2: choice 0' to '... 2'"),
        ("site 2: choice 0\nsite 3: choice 0\nsite 4: choice 0", "point.txt:5: .* the end"),
        ("", r"point.txt:3: error: expected 'site 2: choice 0' to '... 2'"),
    ],
)
def test_what_is_no_point_does_not_compile(line: str, told: str) -> None:
    program = TASK.baseline.with_code(f"site 0: choice 1\nsite 1: choice 0\n{line}")
    with pytest.raises(InputError, match=told):
        TASK.read(program)
    failure = TASK.failure(program)
    assert failure is not None
    assert failure[0] is Status.BUILD_ERROR
    assert TASK.speedup(program) == 0


def test_speedups_are_over_the_task_s_own_baseline() -> None:
    peak = TASK.write(TASK.terrain.peak)
    assert TASK.speedup(peak) == pytest.approx(Terrain().optimum)
    assert replace(TASK, baseline=peak).speedup(peak) == 1


def test_the_digest_tells_landscapes_apart() -> None:
    terrains = [Terrain(), Terrain(1), Terrain(noise=0.1), Terrain(failures=0.1), Terrain(family=1)]
    assert len({Landscape.on(terrain).digest for terrain in terrains}) == len(terrains)
    assert Landscape.on(Terrain()).digest == Landscape.on(Terrain()).digest
    assert replace(TASK, terrain=Terrain(1, size=4, choices=3)).digest != TASK.digest


def test_sites_are_found_in_words() -> None:
    assert TASK.sites_in("change site 3, or site 1; not site 9, 2 or website 0") == {1, 3}
