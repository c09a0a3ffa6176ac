"""Examples whose outcome can be read off the candidate, and a model trained on them once."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.reward_to_go._tiny import write_tiny

from maxcode.reward_to_go.dataset import CARD, PARTS, Card, Dataset, TaskCard
from maxcode.reward_to_go.objective import Bins, Objective
from maxcode.reward_to_go.rows import Row, write_rows
from maxcode.reward_to_go.text import QUESTION, instructions
from maxcode.reward_to_go.training.settings import Settings

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
        "targets": ((target, 1.0),),
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


def write_dataset(folder: Path, train: Sequence[Row], held_out: Sequence[Row]) -> Dataset:
    """A dataset of these rows, all of one task on a side."""
    folder.mkdir(parents=True)
    tasks = []
    for part, found in zip(PARTS, (train, held_out), strict=True):
        write_rows(folder / f"{part}.jsonl", found)
        tasks.append(TaskCard(name=part, digest=part, part=part, runs=1, rows=len(found)))
    card = Card(
        made="2026-01-01",
        version="0",
        stores=(),
        empty_runs=0,
        returns="max",
        gamma=0.9,
        bins=BINS,
        seed=0,
        tasks=tuple(tasks),
        balance=dict.fromkeys(PARTS, (0.0,) * len(BINS)),
    )
    (folder / CARD).write_text(card.model_dump_json())
    return Dataset(folder)


def tiny_settings(base: Path, rows: Sequence[Row], **given: Any) -> Settings:
    """Train all weights of a tiny model, which is made in the folder ``base``."""
    texts = [instructions(Objective(BINS)), QUESTION]
    write_tiny(base, [*texts, *(text for row in rows for text in (row.prompt, row.candidate))], 512)
    return Settings(model=str(base), full=True, learning_rate=1e-3, context=512, **given)


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """The folder of a tiny model, and what was said while it was trained."""
    from maxcode.reward_to_go.training.run import train  # noqa: PLC0415 - which imports torch

    out, said = tmp_path_factory.mktemp("trained") / "model", list[str]()
    rows = toy_rows(0, 40)
    settings = tiny_settings(out.with_name("base"), rows, epochs=5, batch=8)
    data = write_dataset(out.with_name("data"), rows, toy_rows(1000, 12))
    train(settings, data, out, say=said.append)
    return out, said


@pytest.fixture
def data(tmp_path: Path) -> Callable[[int], Dataset]:
    """Makes a dataset of so many decisions, and 12 held out."""
    return lambda count: write_dataset(
        tmp_path / f"data-{count}", toy_rows(0, count), toy_rows(1000, 12)
    )
