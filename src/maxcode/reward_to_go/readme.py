"""The card of a dataset for people, in Markdown."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from maxcode.reward_to_go.bins import Bins
from maxcode.reward_to_go.dataset import Card

_LEARNED = {
    "max": "the best discounted reward that is reached, max(u, max_k gamma^k r_k)",
    "sum": "the discounted sum of rewards, r_0 + gamma r_1 + ...",
}


def readme(card: Card) -> str:
    """The whole text."""
    sides = (card.train, card.held_out)
    figures = {
        "tasks": [part.tasks for part in sides],
        "runs": [part.runs for part in sides],
        "candidates": [part.candidates for part in sides],
        "rows": [part.rows for part in sides],
        "tokens of a prompt, median": [part.prompt.median for part in sides],
        "tokens of a prompt, longest": [part.prompt.longest for part in sides],
        "tokens of a candidate, median": [part.candidate.median for part in sides],
        "tokens of a candidate, longest": [part.candidate.longest for part in sides],
    }
    pieces = [
        "# Rows for training a reward-to-go model",
        f"Made on {card.made} by maxcode {card.version} from {card.runs} runs in "
        f"{', '.join(card.stores)}; {card.empty_runs} more had no candidate that was judged.",
        f"A row is a candidate in a state of a run. What is learned is {_LEARNED[card.returns]}, "
        f"with gamma {card.gamma:g}. No task is on both sides of the split (seed {card.seed}). "
        f"Tokens are counted by: {card.tokens}.",
        _table("", ["train", "held out"], {k: [f"{n}" for n in v] for k, v in figures.items()}),
        "Share of each bin, each candidate counted once:",
        _table("bin", ["mean", "train", "held out"], _balance(card)),
        _table("policy", ["runs"], _counts(card.policies)),
        _table("generator", ["runs"], _counts(card.generators)),
        _table(
            "task",
            ["part", "runs", "candidates", "rows"],
            {
                f"{task.name} ({task.digest[:8]})": [
                    task.part,
                    f"{task.runs}",
                    f"{task.candidates}",
                    f"{task.rows}",
                ]
                for task in card.tasks
            },
        ),
    ]
    return "\n\n".join(pieces) + "\n"


def spans(bins: Bins) -> list[str]:
    """Each bin in words: ``fails``, ``0.9 to 1.1``, ``from 10``."""
    middle = [f"{low:g} to {high:g}" for low, high in pairwise(bins.edges)]
    return ["fails", *middle, f"from {bins.edges[-1]:g}"]


def _balance(card: Card) -> dict[str, list[str]]:
    return {
        span: [f"{mean:.3g}", f"{train:.1%}", f"{held_out:.1%}"]
        for span, mean, train, held_out in zip(
            spans(card.bins),
            card.bins.centres,
            card.train.balance,
            card.held_out.balance,
            strict=True,
        )
    }


def _counts(counts: Mapping[str, int]) -> dict[str, list[str]]:
    return {name: [f"{count}"] for name, count in counts.items()}


def _table(corner: str, heads: list[str], lines: Mapping[str, list[str]]) -> str:
    told = [[corner, *heads], ["---"] * (len(heads) + 1)]
    told += [[name.replace("|", "\\|"), *cells] for name, cells in lines.items()]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in told)
