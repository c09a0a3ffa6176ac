"""The command that makes a run again."""

from __future__ import annotations

import shlex

from maxcode.comparing.plan import RECIPE as COMPARISON
from maxcode.events import RunStarted

_FLAGS = ("sanitize", "cache")
_OPTIONS = (
    *("generator", "policy", "critic", "reward_to_go", "meter"),
    *("prompts", "similar", "context", "prices", "sandbox"),
)
_UNSAID = (None, "", "none", False)


def command(started: RunStarted, budget: str) -> str:
    """What to type for the same search; empty where it was not begun by ``maxcode optimize``.

    Where the program is saved and the run is logged is left out.
    """
    recipe = started.recipe
    if "task" not in recipe or COMPARISON in recipe:
        return ""
    words = ["maxcode", "optimize", str(recipe["task"])]
    for name in _OPTIONS:
        if (value := recipe.get(name)) not in _UNSAID:
            words += [f"--{name.replace('_', '-')}", str(value)]
    words += [f"--{name}" for name in _FLAGS if recipe.get(name)]
    words += ["--observe", str(started.observe), "--budget", budget, "--seed", str(started.seed)]
    if started.in_flight != 1:
        words += ["--in-flight", str(started.in_flight)]
    if recipe.get("reward_to_go", "none") != "none":
        words += ["--propose", str(started.propose), "--run", str(started.run)]
        words += ["--explore", f"{started.explore:g}"]
        words += ["--rtg-guard"] if started.guard else []
    return shlex.join(words)


def not_repeatable(started: RunStarted | None) -> str:
    """Why there is no such command, and what to do instead."""
    if started is None:
        return "The run was cut off before it began."
    if COMPARISON in started.recipe:
        return "This run belongs to a comparison; the same maxcode compare command makes it again."
    return "This run was started from Python; the program that started it makes it again."
