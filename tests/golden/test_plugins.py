"""Recipes and scripts name plug-ins, which keep their names."""

from __future__ import annotations

import pytest
from tests.golden._command import maxcode

SMALL = ("landscape:size=4", "--generator", "landscape")


@pytest.mark.parametrize(
    ("option", "name", "plugin"),
    [
        ("--policy", "maxcode", "MaxCode"),
        ("--policy", "maxcode-greedy", "MaxCodeLoop"),
        ("--policy", "best-of-n", "BestOfN"),
        ("--policy", "cuda-llm", "CudaLLM"),
        ("--policy", "effi-learner", "EffiLearner"),
        ("--policy", "beam", "Beam"),
        ("--policy", "islands", "Islands"),
        ("--policy", "treequest", "TreeQuestPolicy"),
        ("--generator", "rewrite", "RewriteGenerator"),
        ("--generator", "pool", "PoolGenerator"),
        ("--generator", "landscape", "LandscapeGenerator"),
        ("--critic", "profile", "ProfileCritic"),
        ("--critic", "landscape", "LandscapeCritic"),
        ("--reward-to-go", "random", "RandomRewardToGo"),
        ("--reward-to-go", "reward-so-far", "RewardSoFar"),
    ],
)
def test_a_plugin_has_the_name_that_it_had(option: str, name: str, plugin: str) -> None:
    done = maxcode("optimize", *SMALL, option, f"{name}:nonsense=1", "--store", ":memory:")
    assert done.exit_code == 2
    assert plugin in done.stderr
