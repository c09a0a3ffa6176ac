"""Options of all policies: what they show by default, and values that are refused."""

from typing import Any

import pytest

from maxcode import policies
from maxcode.errors import InputError
from maxcode.interfaces import SearchPolicy
from maxcode.observation import Observe

PAPER = ("MaxCode", "MaxCodeLoop")
OTHERS = ("Beam", "BestOfN", "CudaLLM", "EffiLearner", "Islands", "TreeQuestPolicy")


@pytest.mark.parametrize("name", [*PAPER, *OTHERS])
def test_searches_of_others_show_nothing_and_all_take_switches(name: str) -> None:
    policy: type[SearchPolicy] = getattr(policies, name)
    assert policy.observe == (Observe() if name in PAPER else Observe.nothing())


@pytest.mark.parametrize(
    ("name", "option"),
    [
        ("Beam", {"width": 0}),
        ("BestOfN", {"n": 0}),
        ("CudaLLM", {"n": 0}),
        ("EffiLearner", {"steps": 0}),
        ("Islands", {"count": 0}),
        ("MaxCode", {"k": 0}),
        ("TreeQuestPolicy", {"algorithm": "dfs"}),
    ],
)
def test_nonsense_is_refused(name: str, option: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        getattr(policies, name)(**option)
