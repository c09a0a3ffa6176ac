"""From examples to a saved model. Importing this takes seconds."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from accelerate import PartialState  # type: ignore[import-untyped]
from pydantic import ValidationError
from transformers import AutoConfig
from transformers.utils import logging

from maxcode.errors import InputError
from maxcode.files import read_text, write_text
from maxcode.reward_to_go.saved import FILE, Saved
from maxcode.reward_to_go.text import QUESTION, Encoder, instructions, weights_folder
from maxcode.reward_to_go.training.settings import TINY, Data, Settings
from maxcode.reward_to_go.training.trainer import BinTrainer, Encoded, save_plot, trainer_of
from maxcode.reward_to_go.training.weights import trainable, write_tiny

_NOT_OURS = "training_args.bin"  # the trainer's own


def train(
    settings: Settings,
    data: Data,
    out: str | Path,
    *,
    resume: bool = False,
    force: bool = False,
    say: Callable[[str], None] = print,
) -> None:
    """Train a language model and save it as the folder ``out``.

    Checkpoints lie in ``OUT.training`` until then; ``resume`` goes on from the last one there.
    Of several processes (``accelerate launch``) each calls this; the first one writes and says.

    Raises :class:`~maxcode.errors.InputError` for what cannot be trained or may not be overwritten,
    and :class:`~maxcode.errors.ToolError` where something is missing. Seeds the global generators
    of torch, numpy and Python.
    """
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    processes = PartialState(cpu=not torch.cuda.is_available())
    place = Place(out, force=force)
    if processes.is_main_process:
        place.check()
        place.begin(settings, data.identity, resume=resume)
        if settings.model == TINY and not (place.base / "model.safetensors").is_file():
            write_tiny(place.base, _texts(data), settings.tokens, settings.seed)
    processes.wait_for_everyone()
    trainer = _trainer(settings, data, place, say)
    checkpoint = place.checkpoint() if resume else None
    trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
    weights = place.work / "weights"
    trainer.save_model(str(weights))  # by all processes, where each holds a part
    if processes.is_main_process:
        _save(trainer, settings, data, place, weights, say)
    processes.wait_for_everyone()


def _texts(data: Data) -> Iterator[str]:
    yield instructions(data.objective.bins, data.objective.returns)
    yield QUESTION
    for example in data.train:
        yield from (example.prompt, example.candidate)


def _trainer(
    settings: Settings, data: Data, place: Place, say: Callable[[str], None]
) -> BinTrainer:
    base = place.base if settings.model == TINY else weights_folder(settings.model)
    bins = data.objective.bins
    encoder = Encoder(base, bins, data.objective.returns, _context(base, settings))
    encoded = Encoded(data.train, encoder), Encoded(data.held_out, encoder)
    return trainer_of(trainable(base, settings), encoded, data.objective, settings, place.work, say)


def _context(base: Path, settings: Settings) -> int:
    """As asked for, or less where the model reads less."""
    try:
        config: Any = AutoConfig.from_pretrained(
            base, local_files_only=True, trust_remote_code=False
        )
    except (OSError, ValueError, KeyError) as error:
        raise InputError(f"{base} holds no language model: {error}") from error
    most = getattr(config.get_text_config(), "max_position_embeddings", None)
    return min(settings.tokens, most or settings.tokens)


def _base(settings: Settings) -> tuple[str, str]:
    """The base model's path from the root, or its name and the commit on the hub."""
    if settings.model == TINY:
        return TINY, ""
    folder = Path(settings.model).expanduser()
    if folder.exists():
        return str(folder.absolute()), ""
    return settings.model, weights_folder(settings.model).name


def _save(
    trainer: BinTrainer,
    settings: Settings,
    data: Data,
    place: Place,
    weights: Path,
    say: Callable[[str], None],
) -> None:
    if not any(weights.glob("*.safetensors")):
        raise InputError(
            f"the weights are kept in parts, as each process has them, in {place.checkpoint()}; "
            "have them saved whole: FULL_STATE_DICT with FSDP, "
            "stage3_gather_16bit_weights_on_model_save with DeepSpeed"
        )
    encoder, (base, revision) = trainer.encoder, _base(settings)
    saved = Saved(
        kind="transformers",
        bins=data.objective.bins,
        returns=data.objective.returns,
        gamma=data.objective.gamma,
        version=version("maxcode"),
        trained_on=data.trained_on,
        base=base,
        revision=revision,
        context=encoder.context,
    )
    with place.publish() as folder:
        for file in weights.iterdir():
            if file.name != _NOT_OURS:
                file.replace(folder / file.name)
        encoder.tokenizer.save_pretrained(folder)
        saved.write(folder)
        shutil.copy(place.metrics, folder)
        if not save_plot(place.metrics, folder / "training.png"):
            say("no plot was drawn: pip install 'maxcode[reward-to-go]'")
    place.end()
    state = trainer.state
    best = "" if state.best_metric is None else f" (the best was at step {state.best_global_step})"
    say(f"trained for {state.global_step} steps{best}; saved in {place.out}")


_SETTINGS, _DATA = "settings.json", "data.json"


class Place:
    """The folder ``out`` of a model, and ``work`` beside it, which holds checkpoints until then.

    ``out`` is written in one piece, when training has ended. With ``force`` an earlier model there
    is replaced, and a training that has not ended is begun again.
    """

    def __init__(self, out: str | Path, *, force: bool = False) -> None:
        self.out = Path(out).expanduser().absolute()
        self.force = force
        self.work = self.out.with_name(f"{self.out.name}.training")
        self.base = self.work / "base"
        self.metrics = self.work / "metrics.jsonl"

    @property
    def begun(self) -> bool:
        """Whether a training was begun here and has not ended."""
        return (self.work / _SETTINGS).is_file()

    def check(self) -> None:
        """Raise :class:`InputError` when something is at ``out`` that would be lost."""
        if not self.out.exists() or (self.out.is_dir() and not any(self.out.iterdir())):
            return
        if not (self.out / FILE).is_file():
            raise InputError(f"{self.out} is there and holds no reward-to-go model; give another")
        if not self.force:
            raise InputError(f"{self.out} holds a model already; --force replaces it")

    def begin(self, settings: Settings, data: str, *, resume: bool) -> None:
        """Make the folder of work, or with ``resume`` see that it is of this training.

        ``data`` identifies what is learned from. Raises :class:`InputError` where it is there and
        is not to be gone on with, or the other way round.
        """
        if resume:
            self._check_same(settings, data)
            return
        if self.work.exists():
            if not (self.force and self.begun):
                raise InputError(
                    f"{self.work} holds a training that has not ended; go on with --resume, or "
                    "begin again with --force"
                )
            shutil.rmtree(self.work)
        write_text(self.work / _DATA, data)
        write_text(self.work / _SETTINGS, settings.model_dump_json(indent=2) + "\n")

    def _check_same(self, settings: Settings, data: str) -> None:
        path = self.work / _SETTINGS
        if not self.begun:
            raise InputError(f"there is nothing to resume: no {path}; leave out --resume")
        try:
            before = Settings.model_validate_json(read_text(path)).model_dump()
        except ValidationError as error:
            raise InputError(f"{path} cannot be read; begin again with --force") from error
        for name, value in settings.model_dump().items():
            if before[name] != value:
                raise InputError(
                    f"--resume: {self.work} was begun with {name}={before[name]}, not {value}"
                )
        if read_text(self.work / _DATA) != data:
            raise InputError(f"--resume: {self.work} was begun with other data")

    def checkpoint(self) -> Path | None:
        """The last checkpoint that is whole: its last file is there."""
        found = {
            int(match[1]): path
            for path in self.work.glob("checkpoint-*")
            if (match := re.fullmatch(r"checkpoint-(\d+)", path.name))
            and (path / "trainer_state.json").is_file()
        }
        return found[max(found)] if found else None

    @contextmanager
    def publish(self) -> Iterator[Path]:
        """A folder to fill, which then becomes ``out``.

        Raises :class:`InputError` as :meth:`check` does, for what came to lie at ``out`` meanwhile.
        """
        self.out.parent.mkdir(parents=True, exist_ok=True)
        new = self._empty()
        try:
            yield new
            new.chmod(0o755)
            self.check()
            self._replace(new)
        except BaseException:
            shutil.rmtree(new, ignore_errors=True)
            raise

    def _replace(self, new: Path) -> None:
        """Put a folder at ``out``: at every moment the old one or the new one is whole."""
        old = self._empty() if self.out.exists() else None
        if old:
            self.out.replace(old)
        try:
            new.replace(self.out)
        except BaseException:
            if old:
                old.replace(self.out)
            raise
        if old:
            shutil.rmtree(old, ignore_errors=True)

    def _empty(self) -> Path:
        return Path(tempfile.mkdtemp(prefix=f".{self.out.name}.", dir=self.out.parent))

    def end(self) -> None:
        """Remove the folder of work, if a training was begun there."""
        if self.begun:
            shutil.rmtree(self.work, ignore_errors=True)
