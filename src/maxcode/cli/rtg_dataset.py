"""The command `rtg dataset`: rows for training from the runs in stores."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import cast

from rich.table import Table

from maxcode.cli.console import standard_error, standard_output
from maxcode.cli.rtg_commands import Dataset
from maxcode.cli.rtg_runs import opened, stored_runs
from maxcode.errors import InputError, ToolError
from maxcode.reward_to_go.bins import Bins
from maxcode.reward_to_go.building import Recipe, Split, build, check_place
from maxcode.reward_to_go.dataset import Card
from maxcode.reward_to_go.readme import spans
from maxcode.reward_to_go.rows import Objective, Returns
from maxcode.telling.words import counted, percent

_LENGTHS = {"median": "median", "nine_tenths": "9 of 10 up to", "longest": "longest"}


def dataset(request: Dataset) -> int:
    """Make the dataset and tell what is in it; gives the exit code."""
    out, recipe = Path(request.out).absolute(), _recipe(request)
    check_place(out, force=request.force)
    with opened(request.store) as journals:
        runs = stored_runs(journals, request.run or ())
        stores = [journal.store.where for journal in journals]
        card = build(out, stores, runs, recipe, force=request.force)
    _print(card)
    if card.empty_runs:
        left_out = counted(card.empty_runs, "run")
        standard_error().print(f"{left_out} had no candidate that was judged, and no part in it")
    return 0


def _recipe(request: Dataset) -> Recipe:
    bins = Bins(_edges(request.edges)) if request.edges else Bins()
    objective = Objective(bins, cast("Returns", request.returns), request.gamma)  # it checks
    recipe = Recipe(
        objective,
        Split(request.held_out, tuple(request.hold or ()), request.seed),
        request.format,
    )
    if request.tokenizer is None:
        return recipe
    return replace(recipe, tokens=request.tokenizer, count=_counter(request.tokenizer))


def _edges(text: str) -> tuple[float, ...]:
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError as error:
        raise InputError(f"--edges are numbers with commas between them, not {text!r}") from error


def _counter(name: str) -> Callable[[str], int]:
    """Counts as a tokenizer of transformers does."""
    try:
        from transformers import AutoTokenizer  # noqa: PLC0415 - takes seconds
    except ImportError as error:
        raise ToolError(
            "--tokenizer needs transformers: pip install 'maxcode[transformers]'"
        ) from error
    try:
        tokenizer = AutoTokenizer.from_pretrained(name)
    except (OSError, ValueError) as error:
        raise InputError(f"--tokenizer {name} cannot be loaded: {error}") from error
    return lambda text: len(tokenizer(text, add_special_tokens=False)["input_ids"])


def _print(card: Card) -> None:
    parts = (card.train, card.held_out)
    table = Table(box=None, pad_edge=False, header_style="dim")
    for title in ("", "train", "held out"):
        table.add_column(title, justify="right" if title else "left")
    for noun in ("tasks", "runs", "candidates", "rows"):
        table.add_row(noun, *(str(getattr(part, noun)) for part in parts))
    for index, span in enumerate(spans(card.bins)):
        table.add_row(f"share: {span}", *(percent(part.balance[index]) for part in parts))
    for noun in ("prompt", "candidate"):
        for field, title in _LENGTHS.items():
            lengths = (str(getattr(getattr(part, noun), field)) for part in parts)
            table.add_row(f"tokens of a {noun}: {title}", *lengths)
    standard_output().print(table)
    standard_error().print(f"tokens: {card.tokens}")
