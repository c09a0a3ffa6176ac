# ruff: noqa: PLC0415 - what trains takes seconds to import, and is an extra
"""The command `rtg train`: a reward-to-go model from a dataset."""

from __future__ import annotations

import os
from dataclasses import asdict, fields

from pydantic import ValidationError

from maxcode.cli.console import standard_error, standard_output
from maxcode.cli.interrupts import Interrupts
from maxcode.cli.rtg_commands import Train
from maxcode.errors import InputError, ToolError
from maxcode.reward_to_go.dataset import Dataset
from maxcode.reward_to_go.feature_model import FEW_ROWS, FeatureRewardToGo
from maxcode.reward_to_go.training.examples import Data
from maxcode.reward_to_go.training.place import Place
from maxcode.reward_to_go.training.settings import Settings
from maxcode.telling.words import counted

_FEATURES = "features"
_OF_ALL = {"model", "data", "out", "seed", "force"}


def train(request: Train) -> int:
    """Train the model; gives the exit code."""
    dataset, place = Dataset(request.data), Place(request.out, force=request.force)
    if request.model == _FEATURES:
        return _train_features(request, dataset, place)
    settings = _settings(request)
    try:
        from maxcode.reward_to_go.training import run
    except ImportError as error:
        raise ToolError(
            f"{error.name} is not installed; pip install 'maxcode[reward-to-go,transformers]'"
        ) from error
    console = standard_output()
    with Interrupts(lambda: None, lambda: None) as interrupts:
        try:
            run.train(
                settings,
                Data.of(dataset, soft=settings.soft),
                request.out,
                resume=request.resume,
                force=request.force,
                say=console.print,
            )
        except KeyboardInterrupt:
            if os.environ.get("RANK", "0") == "0":  # the first of several processes
                standard_error().print(_interrupted(place))
            return interrupts.exit_code or 130
    return 0


def _train_features(request: Train, dataset: Dataset, place: Place) -> int:
    for field in fields(Train):
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
        standard_error().print(
            f"note: {rows} are too few to tell candidates apart; give at least {FEW_ROWS}"
        )
    standard_output().print(f"trained on {rows}; saved in {place.out}")
    return 0


def _settings(request: Train) -> Settings:
    given = {
        name: value for name, value in asdict(request).items() if name in Settings.model_fields
    }
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
