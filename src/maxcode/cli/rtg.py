"""The commands `rtg dataset` and `rtg train`, and the runs read by all of `rtg`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import fields
from pathlib import Path
from typing import cast

from pydantic import ValidationError

from maxcode.cli.commands import RtgDataset, RtgTrain
from maxcode.cli.console import figure_table, say, standard_output, tracked
from maxcode.errors import InputError, RunNotFoundError, ToolError
from maxcode.journal.journal import Journal, RunLog
from maxcode.reward_to_go.building import Recipe, Split, build, check_place
from maxcode.reward_to_go.dataset import Card, Dataset, spans
from maxcode.reward_to_go.feature_model import FEW_ROWS, FeatureRewardToGo
from maxcode.reward_to_go.objective import Bins, Objective, Returns
from maxcode.reward_to_go.training.place import Place
from maxcode.reward_to_go.training.settings import Data, Settings
from maxcode.system import Interrupts
from maxcode.text import counted, percent

_LENGTHS = {"median": "median", "nine_tenths": "9 of 10 up to", "longest": "longest"}


def dataset(request: RtgDataset) -> int:
    """Make the dataset and print its contents; gives the exit code."""
    out, recipe = Path(request.out).absolute(), _recipe(request)
    check_place(out, force=request.force)
    with opened(request.store) as journals:
        runs = stored_runs(journals, request.run or ())
        stores = [journal.store.where for journal in journals]
        card = build(out, stores, runs, recipe, force=request.force)
    _print(card)
    if card.empty_runs:
        left_out = counted(card.empty_runs, "run")
        say(f"{left_out} had no candidate that was judged, and no part in it")
    return 0


def _recipe(request: RtgDataset) -> Recipe:
    try:
        edges = [float(part) for part in request.edges.split(",")] if request.edges else None
    except ValueError as error:
        raise InputError(
            f"--edges are numbers with commas between them, not {request.edges!r}"
        ) from error
    bins = Bins(tuple(edges)) if edges else Bins()
    objective = Objective(bins, cast("Returns", request.returns), request.gamma)  # it checks
    return Recipe(objective, Split(request.held_out, tuple(request.hold or ()), request.seed))


def _print(card: Card) -> None:
    parts = (card.train, card.held_out)
    table = figure_table("", "train", "held out")
    for noun in ("tasks", "runs", "candidates", "rows"):
        table.add_row(noun, *(str(getattr(part, noun)) for part in parts))
    for index, span in enumerate(spans(card.bins)):
        table.add_row(f"share: {span}", *(percent(part.balance[index]) for part in parts))
    for noun in ("prompt", "candidate"):
        for field, title in _LENGTHS.items():
            lengths = (str(getattr(getattr(part, noun), field)) for part in parts)
            table.add_row(f"tokens of a {noun}: {title}", *lengths)
    standard_output().print(table)
    say("tokens: estimated, 3 bytes each")


@contextmanager
def opened(stores: Sequence[str] | None) -> Iterator[list[Journal]]:
    """The named stores, or the user's own, open."""
    with ExitStack() as stack:
        names: Sequence[str | None] = stores or [None]
        yield [stack.enter_context(Journal.open(name, create=False)) for name in names]


def stored_runs(journals: Sequence[Journal], wanted: Sequence[str] = ()) -> Iterator[RunLog]:
    """Runs of open stores, oldest first, each once; with ``wanted`` only ids that begin so.

    A screen shows how many are done. Raises :class:`~maxcode.errors.RunNotFoundError` before the
    first where no id begins so.
    """
    found = {
        run_id: journal.store
        for journal in journals
        for run_id in reversed(journal.run_ids())
        if not wanted or run_id.startswith(tuple(wanted))
    }
    for start in wanted:
        if not any(run_id.startswith(start) for run_id in found):
            where = ", ".join(journal.store.where for journal in journals)
            raise RunNotFoundError(f"no run begins with {start!r} in {where}")
    for run_id, store in tracked(list(found.items())):
        yield RunLog(store, run_id)


_OF_ALL = {"model", "data", "out", "seed", "force"}


def train(request: RtgTrain) -> int:
    """Train the model; gives the exit code."""
    dataset, place = Dataset(request.data), Place(request.out, force=request.force)
    if request.model == "features":
        return _train_features(request, dataset, place)
    settings = _settings(request)
    try:
        from maxcode.reward_to_go.training import run  # noqa: PLC0415 - it takes seconds
    except ImportError as error:
        raise ToolError(
            f"{error.name} is not installed; pip install 'maxcode[reward-to-go,transformers]'"
        ) from error
    console = standard_output()
    with Interrupts() as interrupts:
        try:
            run.train(
                settings,
                Data.of(dataset),
                request.out,
                resume=request.resume,
                force=request.force,
                say=console.print,
            )
        except KeyboardInterrupt:
            if os.environ.get("RANK", "0") == "0":  # the first of several processes
                say(_interrupted(place))
            return interrupts.exit_code or 130
    return 0


def _train_features(request: RtgTrain, dataset: Dataset, place: Place) -> int:
    for field in fields(RtgTrain):
        if field.name not in _OF_ALL and getattr(request, field.name) != field.default:
            option = field.name.replace("_", "-")
            raise InputError(f"--{option} is for language models; leave it out")
    place.check()
    card = dataset.card
    model = FeatureRewardToGo.train(
        dataset.rows("train"),
        card.objective,
        trained_on=card.trained_on,
        seed=request.seed,
    )
    with place.publish() as folder:
        model.save(folder)
    rows = counted(card.train.rows, "row")
    if card.train.rows < FEW_ROWS:
        say(f"note: {rows} are too few to distinguish candidates; give at least {FEW_ROWS}")
    standard_output().print(f"trained on {rows}; saved in {place.out}")
    return 0


def _settings(request: RtgTrain) -> Settings:
    given = {k: value for k, value in vars(request).items() if k in Settings.model_fields}
    try:
        return Settings(**given)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        option = str(first["loc"][0]).replace("_", "-")
        raise InputError(f"--{option} {first['input']}: {first['msg']}") from error


def _interrupted(place: Place) -> str:
    if not place.begun:
        return "interrupted before training began"
    checkpoint = place.checkpoint()
    kept = f"{checkpoint} is kept" if checkpoint else "there was no checkpoint yet"
    return f"interrupted; {kept}; go on by the same command with --resume"
