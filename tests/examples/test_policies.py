"""The searches in examples/policies are policies like any other."""

from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from math import exp
from pathlib import Path
from random import Random

import pytest

from maxcode.interfaces import SearchPolicy
from maxcode.policies.best_of_n import BestOfN
from maxcode.search.search import Search
from maxcode.testing import ScriptedGenerator, SearchPolicyContract
from maxcode.tree import SearchTree

PLACE = Path(__file__).parents[2] / "examples" / "policies" / "annealing.py"


def annealing(**options: float) -> SearchPolicy:
    spec = spec_from_file_location("annealing", PLACE)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    policy = module.Annealing(**options)
    assert isinstance(policy, SearchPolicy)
    return policy


@pytest.mark.slow
class TestAnnealing(SearchPolicyContract):
    def make(self) -> SearchPolicy:
        return annealing()


def share(tree: SearchTree, step: int, **options: float) -> float:
    policy = annealing(**options)
    return sum(policy.ask(tree, Random(i))[0].parent == step for i in range(1000)) / 1000


def test_annealing_goes_on_from_what_is_slower_by_chance(toy: Callable[..., Search]) -> None:
    def tree(second: str) -> SearchTree:
        generator = ScriptedGenerator([[second]])
        return toy(generator=generator, policy=BestOfN(n=1, batch=1)).run().tree

    assert share(tree("2.0"), 1) == 1
    assert share(tree("timeout"), 0) == 1
    assert share(tree("0.5"), 1, temperature=1.0, cooling=0.0) == pytest.approx(exp(-0.5), abs=0.05)
    assert share(tree("0.5"), 1, temperature=1e-9) == 0
