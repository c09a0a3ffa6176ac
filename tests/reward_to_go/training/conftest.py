"""Examples whose outcome can be read off the candidate, and a model trained on them once."""

from collections.abc import Callable
from pathlib import Path

import pytest

from maxcode.reward_to_go.objective import Bins, Objective
from maxcode.reward_to_go.rows import Row
from maxcode.reward_to_go.training.settings import Data, Settings, examples

BINS = Bins((0.0, 1.0, 2.0, 4.0))
WORDS = {"broken": 0.0, "slow": 0.5, "plain": 1.5, "quick": 3.0, "instant": 6.0}


def row(decision: int, step: int, word: str, **other: object) -> Row:
    """A candidate that says how fast it will be."""
    target = WORDS[word]
    given = {
        "task": "toy",
        "task_digest": "d",
        "run": "r",
        "expansion": decision,
        "step": step,
        "prompt": f"# Task toy {decision}\n\n",
        "candidate": f"# Candidate\n\nvariant {step}, {word}\n\n",
        "features": {},
        "u": 0.0,
        "reward": target,
        "target": target,
        "bin": BINS.index(target),
        "weight": 1.0,
        "explored": True,
    }
    return Row.model_validate({**given, **other})


def toy_rows(first: int, decisions: int) -> list[Row]:
    """All words in each decision, in an order that says nothing."""
    words = list(WORDS)
    return [
        row(decision, 5 * decision + i, words[(i * 2 + decision) % 5])
        for decision in range(first, first + decisions)
        for i in range(5)
    ]


def toy_data(decisions: int = 40) -> Data:
    return Data(
        examples(toy_rows(0, decisions), BINS),
        examples(toy_rows(1000, 12), BINS),
        Objective(BINS),
    )


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """The folder of a tiny model, and what was said while it was trained."""
    from maxcode.reward_to_go.training.run import train  # noqa: PLC0415 - which imports torch

    out, said = tmp_path_factory.mktemp("trained") / "model", list[str]()
    settings = Settings(model="tiny", epochs=5, batch=8, context=512)
    train(settings, toy_data(), out, say=said.append)
    return out, said


@pytest.fixture
def data() -> Callable[[int], Data]:
    """Makes data of so many decisions."""
    return toy_data
