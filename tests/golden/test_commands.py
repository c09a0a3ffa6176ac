"""The command line takes what it did."""

from __future__ import annotations

from typing import Any

import pytest
from tests.golden._command import declared, maxcode
from tests.golden._place import COMMANDS, MAKE, read

GOLDEN: dict[str, Any] = read(COMMANDS)
SMALL = ("landscape:size=4", "--generator", "landscape")


def test_there_are_the_commands_that_there_were() -> None:
    assert sorted(declared()) == sorted(GOLDEN), f"meant so? {MAKE}"


@pytest.mark.parametrize("name", GOLDEN)
def test_a_command_takes_what_it_did(name: str) -> None:
    command = declared()[name]
    assert command["arguments"] == GOLDEN[name]["arguments"], f"meant so? {MAKE}"
    assert command["options"] == GOLDEN[name]["options"], f"meant so? {MAKE}"


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
    assert done.returncode == 2
    assert plugin in done.stderr


@pytest.mark.parametrize(
    ("option", "names"),
    [
        ("--critic", "none"),
        ("--reward-to-go", "none"),
        ("--observe", "all none trajectory critique,best"),
    ],
)
def test_an_option_takes_the_words_that_it_took(option: str, names: str) -> None:
    for name in names.split():
        done = maxcode("optimize", *SMALL, option, name, "--dry-run", "--store", ":memory:")
        assert done.returncode == 0, f"{option} {name}: {done.stderr}"
