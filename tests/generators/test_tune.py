"""The search over the values that a program declares."""

import sys
from collections.abc import Callable, Iterable
from dataclasses import replace

import pytest

from maxcode.cli.plugins import check_generator
from maxcode.errors import GeneratorError, InputError, ToolError
from maxcode.evaluation import Status
from maxcode.generators.mixture import Mixture
from maxcode.generators.parameters import read
from maxcode.generators.tune import TuneGenerator
from maxcode.interfaces import Generator
from maxcode.observation import Observation, Observe
from maxcode.program import Program
from maxcode.task import Task
from maxcode.testing import GeneratorContract, ScriptedGenerator

Observed = Callable[..., Observation]
Attempt = tuple[int, str, float | Status, Program]

SMALL = "#define A 1  // tune: 1 2 3 4\n#define B 1  // tune: 1 2 3\n// tune-if: A + B < 7\n"
LARGE = "".join(f"#define {name} 1  // tune: 1..12\n" for name in "ABC")


def task(code: str) -> Task:
    return Task("values", "", Program.of(code), language="c++")


def values(program: Program | None) -> tuple[int, ...]:
    assert program is not None
    found = read(program, program.files)
    assert found is not None
    return tuple(map(int, found.values))


def proposed(observation: Observation, n: int = 99, **options: int) -> list[tuple[int, ...]]:
    proposals = TuneGenerator(**options).propose(observation, n)
    return [values(proposal.program) for proposal in proposals]


def with_values(code: str, *point: int) -> Program:
    found = read(Program.of(code), ["main.cpp"])
    assert found is not None
    return found.with_values(tuple(map(str, point)))


@pytest.mark.slow
class TestTuneGenerator(GeneratorContract):
    never_repeats = True

    def make(self) -> Generator:
        return TuneGenerator()

    def task(self) -> Task:
        return task(LARGE)


def test_a_small_space_is_tried_whole_in_an_order_that_the_seed_decides(
    observed: Observed,
) -> None:
    everything = {(a, b) for a in range(1, 5) for b in range(1, 4) if a + b < 7} - {(1, 1)}
    orders = [proposed(observed(task(SMALL), seed=seed)) for seed in range(10)]
    assert all(set(order) == everything and len(order) == 10 for order in orders)
    assert len({tuple(order) for order in orders}) > 5
    assert proposed(observed(task(SMALL), seed=3), 4) == orders[3][:4]


def test_what_was_tried_is_not_proposed_even_where_nothing_is_shown(observed: Observed) -> None:
    attempts: list[Attempt] = [
        (0, "", 1.0, with_values(SMALL, 2, 2)),
        (0, "", Status.TIMEOUT, with_values(SMALL, 3, 3)),
    ]
    for switches in (Observe(), Observe.nothing()):
        found = proposed(observed(task(SMALL), *attempts, switches=switches))
        assert len(found) == 8
        assert not {(1, 1), (2, 2), (3, 3)} & set(found)


@pytest.mark.slow
def test_a_large_space_is_searched_by_what_was_learned(observed: Observed) -> None:
    good = [(9, 3, c) for c in range(1, 9)]
    bad = [(a, b, 2) for a in (1, 3, 5, 12) for b in (6, 8, 10, 12)]
    attempts: list[Attempt] = [
        (0, "", 5.0 + c / 100, with_values(LARGE, 9, 3, c)) for _, _, c in good
    ]
    attempts += [(0, "", Status.BUILD_ERROR, with_values(LARGE, *point)) for point in bad]
    shown = observed(task(LARGE), *attempts, step=0)

    def distance(points: Iterable[tuple[int, ...]]) -> float:
        return sum(abs(a - 9) + abs(b - 3) for a, b, _ in points)

    guided = proposed(replace(shown, seed=5), 12)
    blind = proposed(replace(shown, seed=5, trajectory=None), 12)
    assert len(set(guided)) == 12
    assert not set(guided) & {*good, *bad, (1, 1, 1)}
    assert distance(guided) < 0.7 * distance(blind)


@pytest.mark.slow
def test_restrictions_hold_in_a_large_space_to_its_last_point(observed: Observed) -> None:
    code = f"{LARGE}// tune-if: A == B and C <= 3\n"
    everything = {(a, a, c) for a in range(1, 13) for c in range(1, 4)} - {(1, 1, 1)}
    assert sorted(proposed(observed(task(code)), grid=1)) == sorted(everything)


def test_the_best_program_that_declares_something_is_tuned(observed: Observed) -> None:
    faster = f"{SMALL}// faster\n"
    proposals = TuneGenerator().propose(
        observed(
            task(SMALL),
            (0, "", 2.0, Program.of(faster)),
            (0, "", 3.0, Program.of("no parameters\n")),
            (0, "", 2.5, Program.of("#define A x // tune: what's this\n")),
        ),
        99,
    )
    assert len(proposals) == 10
    assert all(p.program and p.program.code.endswith("// faster\n") for p in proposals)
    assert proposals[0].tags == ("tune",)
    assert "A=" in proposals[0].summary or "B=" in proposals[0].summary


def test_nothing_declared_is_nothing_proposed_and_alone_an_error(observed: Observed) -> None:
    plain = task("int main() {}\n")
    assert proposed(observed(plain)) == []
    with pytest.raises(InputError, match="declares no parameters to tune"):
        check_generator(TuneGenerator(), plain)
    check_generator(Mixture([TuneGenerator(), ScriptedGenerator([])]), plain)
    check_generator(TuneGenerator(), task(SMALL))
    with pytest.raises(GeneratorError, match=r"main\.cpp, line 1"):
        proposed(observed(task("#define A 1 // tune: 1\n")))


def test_without_optuna_the_error_says_what_to_install(
    observed: Observed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    assert len(proposed(observed(task(SMALL)))) == 10
    with pytest.raises(ToolError, match=r"install maxcode\[tune\]"):
        proposed(observed(task(LARGE)))
