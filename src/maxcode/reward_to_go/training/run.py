"""Training a language model, from rows to a saved model. Importing this takes seconds."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from sys import intern
from typing import Any

import torch
from accelerate import PartialState  # type: ignore[import-untyped]
from transformers import AutoConfig
from transformers.utils import logging

from maxcode.errors import InputError
from maxcode.reward_to_go.dataset import PARTS, Card, Dataset, PartName
from maxcode.reward_to_go.language_model import Encoder, weights_folder
from maxcode.reward_to_go.rows import Row
from maxcode.reward_to_go.saved import Saved
from maxcode.reward_to_go.training.place import Place
from maxcode.reward_to_go.training.settings import Settings
from maxcode.reward_to_go.training.trainer import BinTrainer, Encoded, trainable, trainer_of
from maxcode.text import counted

_OF_ALL = ("step", "epoch")
_FIGURES = (*_OF_ALL, "loss", "learning_rate", "eval_loss", "eval_ranking")
_ARGUMENTS = "training_args.bin"  # the trainer's own, no part of the model


def train(
    settings: Settings,
    dataset: Dataset,
    out: str | Path,
    *,
    resume: bool = False,
    force: bool = False,
    say: Callable[[str], None] = print,
) -> None:
    """Train a language model and save it as the folder ``out``.

    Checkpoints lie in ``OUT.training`` until then; ``resume`` goes on from the last. Of several
    processes (``accelerate launch``) each calls this; the first writes and reports. Raises
    :class:`~maxcode.errors.InputError` for impossible settings and existing files, and
    :class:`~maxcode.errors.ToolError` for missing libraries. Seeds the global generators of torch,
    numpy and Python.
    """
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    processes = PartialState(cpu=not torch.cuda.is_available())
    place, objective = Place(out, force=force), dataset.card.objective
    rows, held_out = (_read(dataset, part) for part in PARTS)
    if not rows:
        raise InputError("there are no rows to train on")
    if processes.is_main_process:
        place.check()
    base = weights_folder(settings.model)
    encoder = Encoder(base, objective, _context(base, settings))
    model = trainable(base, settings)
    if processes.is_main_process:  # not before: a wrong model leaves no folder behind
        place.begin(settings, dataset.card.model_dump_json(), resume=resume)
    processes.wait_for_everyone()
    train_set, test_set = (Encoded(part, encoder, objective.bins) for part in (rows, held_out))
    trainer = trainer_of(model, (train_set, test_set), objective, settings, place.work, say)
    if processes.is_main_process:
        say(f"training on {counted(len(rows), 'row')}; Ctrl-C keeps the last checkpoint")
    checkpoint = place.checkpoint() if resume else None
    trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
    weights = place.work / "weights"
    trainer.save_model(str(weights))  # by all processes, where each holds a part
    if processes.is_main_process:
        _save(trainer, settings, dataset.card, place, weights, say)
    processes.wait_for_everyone()


def _read(dataset: Dataset, part: PartName) -> list[Row]:
    """The rows of a side without their features; equal prompts are kept once."""
    return [
        row.model_copy(update={"prompt": intern(row.prompt), "features": {}})
        for row in dataset.rows(part)
    ]


def _context(base: Path, settings: Settings) -> int:
    """As asked for, or less where the model reads less."""
    try:
        config: Any = AutoConfig.from_pretrained(
            base, local_files_only=True, trust_remote_code=False
        )
    except (OSError, ValueError, KeyError) as error:
        raise InputError(f"{base} holds no language model: {error}") from error
    most = getattr(config.get_text_config(), "max_position_embeddings", None)
    return min(settings.context, most or settings.context)


def _base(settings: Settings) -> tuple[str, str]:
    """The base model's path from the root, or its name and the commit on the hub."""
    folder = Path(settings.model).expanduser()
    if folder.exists():
        return str(folder.absolute()), ""
    return settings.model, weights_folder(settings.model).name


def _save(
    trainer: BinTrainer,
    settings: Settings,
    card: Card,
    place: Place,
    weights: Path,
    say: Callable[[str], None],
) -> None:
    if not any(weights.glob("*.safetensors")):
        raise InputError(
            f"each process keeps its part of the weights, in {place.checkpoint()}; have them "
            "saved whole (FSDP: FULL_STATE_DICT)"
        )
    encoder, (base, revision) = trainer.encoder, _base(settings)
    history = trainer.state.log_history  # of a training that was resumed, too
    saved = Saved(
        kind="transformers",
        bins=card.bins,
        returns=card.returns,
        gamma=card.gamma,
        version=version("maxcode"),
        trained_on=card.trained_on,
        base=base,
        revision=revision,
        context=encoder.context,
    )
    with place.publish() as folder:
        for file in weights.iterdir():
            if file.name != _ARGUMENTS:
                file.replace(folder / file.name)
        encoder.tokenizer.save_pretrained(folder)
        saved.write(folder)
        figures = ({name: one[name] for name in _FIGURES if name in one} for one in history)
        lines = (json.dumps(one) + "\n" for one in figures if len(one) > len(_OF_ALL))
        (folder / "metrics.jsonl").write_text("".join(lines), "utf-8")
    place.end()
    state = trainer.state
    best = "" if state.best_metric is None else f" (the best was at step {state.best_global_step})"
    say(f"trained for {state.global_step} steps{best}; saved in {place.out}")
