"""The search in examples/policies is a policy like any other."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from maxcode.interfaces import SearchPolicy
from maxcode.testing import SearchPolicyContract

PLACE = Path(__file__).parents[2] / "examples" / "policies" / "annealing.py"


@pytest.mark.slow
class TestAnnealing(SearchPolicyContract):
    def make(self) -> SearchPolicy:
        spec = spec_from_file_location("annealing", PLACE)
        assert spec is not None
        assert spec.loader is not None
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
        policy = module.Annealing()
        assert isinstance(policy, SearchPolicy)
        return policy
