"""How much of the differences in speed each tuned parameter explains."""

from math import exp
from random import Random

import pytest

from maxcode.generators.parameters import read
from maxcode.generators.tune import TuneGenerator
from maxcode.policies.best_of_n import BestOfN
from maxcode.program import Program
from maxcode.report.tuning import importance, tuning_facts
from maxcode.search.search import Search
from maxcode.task import Task
from maxcode.testing import ScriptedExecutor

CODE = (
    "#define A 1  // tune: 1 2 3 4 5\n#define B 1  // tune: 1 2 4 8\n"
    "#define C x  // tune: x y z\n#define D 7  // tune: 7 8\n// tune-if: D == 7\n"
)


def searched(code: str, n: int) -> Search:
    """A search over the values, of which some matter: a bow in A, a line in B, and noise."""

    def speed(program: Program) -> float:
        found = read(program, program.files)
        if found is None:
            return 0.0
        values = dict(zip((one.name for one in found.parameters), found.values, strict=True))
        a, b = int(values.get("A", 1)), int(values.get("B", 1))
        noise = Random(program.digest).gauss(0, 0.01)
        return -0.2 * (a - 3) ** 2 + 0.02 * b + 0.1 * (values.get("C") == "z") + noise

    start = Program.of(code)
    search = Search(
        Task("values", "", start, language="c++"),
        generator=TuneGenerator(grid=100),
        executor=ScriptedExecutor(lambda program: exp(speed(program) - speed(start))),
        policy=BestOfN(n=n),
    )
    search.run()
    return search


@pytest.mark.slow
def test_what_matters_most_explains_most() -> None:
    search = searched(CODE, 59)
    found = importance(search.state.tree)
    assert found is not None
    assert list(found.shares) == ["A", "B", "C"]
    assert found.points == 60

    def variance(effects: list[float]) -> float:
        mean = sum(effects) / len(effects)
        return sum((one - mean) ** 2 for one in effects) / len(effects)

    parts = {
        "A": variance([-0.2 * (a - 3) ** 2 for a in range(1, 6)]),
        "B": variance([0.02 * b for b in (1, 2, 4, 8)]),
        "C": variance([0.0, 0.0, 0.1]),
    }
    for name, part in parts.items():
        assert found.shares[name] == pytest.approx(part / sum(parts.values()), abs=0.02)
    ((name, text),) = tuning_facts(search.state)
    assert name == "tuning"
    assert text.startswith("A explains 9")
    assert text.endswith("of the differences among 60 points")
    assert ", B " in text


@pytest.mark.slow
def test_a_parameter_that_does_nothing_explains_next_to_nothing() -> None:
    code = "#define B 1  // tune: 1 2 4 8\n#define IDLE 1  // tune: 1..9\n"
    found = importance(searched(code, 35).state.tree)
    assert found is not None
    assert list(found.shares) == ["B", "IDLE"]
    assert found.shares["IDLE"] < 0.02
    assert found.shares["B"] > 0.9


def test_too_few_points_say_nothing() -> None:
    assert importance(searched(CODE, 6).state.tree) is None
    assert tuning_facts(searched("int main() {}\n", 3).state) == []
