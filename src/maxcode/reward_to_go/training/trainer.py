"""The trainer: transformers' own, with the loss on the token of the bin alone.

Also its model, its reports, and the ranking of held-out rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from peft import LoraConfig, get_peft_model
from torch.utils.data import Dataset
from transformers import (
    AutoModelForCausalLM,
    EarlyStoppingCallback,
    EvalPrediction,
    Trainer,
    TrainerCallback,
    TrainingArguments,
)
from transformers.trainer_callback import PrinterCallback
from transformers.trainer_pt_utils import LengthGroupedSampler

from maxcode.errors import InputError
from maxcode.ranking import Agreement
from maxcode.reward_to_go.language_model import Encoder, logits_at, padded
from maxcode.reward_to_go.objective import Bins, Objective
from maxcode.reward_to_go.rows import Row
from maxcode.reward_to_go.training.settings import Settings

Batch = dict[str, torch.Tensor]

_TOLD = {"loss": "loss", "eval_loss": "held out", "eval_ranking": "ranking"}
_CANDIDATES, _DECISIONS = 3, 10  # from which on correlations within decisions are worth averaging


def _bfloat16() -> bool:
    """Whether the training device computes in bfloat16."""
    return torch.cuda.is_available() and torch.cuda.is_bf16_supported()


def trainable(base: Path, settings: Settings) -> Any:
    """The model of a folder, ready to be trained as the settings say.

    Raises :class:`InputError` when the folder holds none.
    """
    dtype = torch.float32 if settings.full or not _bfloat16() else torch.bfloat16
    try:
        model: Any = AutoModelForCausalLM.from_pretrained(
            base, local_files_only=True, trust_remote_code=False, dtype=dtype
        )
    except (OSError, ValueError, KeyError) as error:
        raise InputError(f"{base} cannot be loaded as a language model: {error}") from error
    model.config.use_cache = False
    if settings.full:
        return model
    config = LoraConfig(
        task_type="CAUSAL_LM",
        r=settings.rank,
        lora_alpha=2 * settings.rank,
        lora_dropout=0.05,
        target_modules="all-linear",
    )
    return get_peft_model(model, config)


class Encoded(Dataset[tuple[int, list[int], list[float]]]):
    """Rows as tokens, made when they are asked for, with the probabilities of the bins."""

    def __init__(self, rows: Sequence[Row], encoder: Encoder, bins: Bins) -> None:
        self.rows = rows
        self.encoder = encoder
        self.bins = bins

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> tuple[int, list[int], list[float]]:
        row = self.rows[index]
        prefix = self.encoder.prefix(row.prompt)
        tokens = prefix + self.encoder.suffix(row.candidate, len(prefix))
        return index, tokens, self.bins.shares(row.targets)


def collate(items: Sequence[tuple[int, list[int], list[float]]]) -> Batch:
    """A batch: tokens (rows, longest), ends (rows, 1), targets (rows, bins), index."""
    indices, rows, targets = zip(*items, strict=True)
    tokens, last = padded(rows)
    return {
        "tokens": tokens,
        "last": last,
        "targets": torch.tensor(targets),
        "index": torch.tensor(indices),
    }


class BinTrainer(Trainer):
    """Minimises the cross-entropy of the next token, the label of the bin.

    It is over the whole vocabulary, so the labels become the likeliest tokens, which servers
    report. Logits are computed at that position only.
    """

    loss_is_scaled_for_ga = False  # a mean over the batch

    def __init__(self, encoder: Encoder, **given: Any) -> None:
        super().__init__(data_collator=collate, **given)
        self.encoder = encoder

    def compute_loss(
        self,
        model: Any,
        inputs: Batch,
        return_outputs: bool = False,
        num_items_in_batch: Any = None,  # noqa: ARG002 - examples are counted, not tokens
    ) -> Any:
        """The mean over the batch; with the log-probabilities of the labels."""
        logits = logits_at(model, inputs["tokens"], inputs["last"]).float()
        known = logits.log_softmax(-1)[:, self.encoder.labels]
        loss = -(inputs["targets"] * known).sum(-1).mean()
        return (loss, known) if return_outputs else loss

    def prediction_step(
        self,
        model: Any,
        inputs: Batch,
        prediction_loss_only: bool,
        ignore_keys: list[str] | None = None,  # noqa: ARG002 - there is one output
    ) -> Any:
        """The loss, the log-probabilities of the labels, and which examples they are of."""
        inputs = self._prepare_inputs(inputs)
        with torch.no_grad():
            loss, known = self.compute_loss(model, inputs, return_outputs=True)
        return (loss, None, None) if prediction_loss_only else (loss, known, inputs["index"])

    def _get_train_sampler(self, train_dataset: Any = None) -> Any:
        """Examples of about the same length together, for little padding."""
        data: Any = train_dataset or self.train_dataset
        size = self.args.train_batch_size * self.args.gradient_accumulation_steps
        lengths = [len(one.prompt) + len(one.candidate) for one in data.rows]
        return LengthGroupedSampler(size, lengths=lengths)


class Progress(TrainerCallback):
    """Reports figures by ``say``."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say

    def on_log(
        self,
        args: Any,  # noqa: ARG002
        state: Any,
        control: Any,  # noqa: ARG002
        logs: dict[str, float] | None = None,
        **_: Any,
    ) -> None:
        """Report the figures."""
        known = [f"{name} {logs[key]:.3f}" for key, name in _TOLD.items() if logs and key in logs]
        if known and state.is_world_process_zero:
            done = f"step {state.global_step} of {state.max_steps}, epoch {state.epoch:.2f}"
            self._say(f"{done}: {', '.join(known)}")


def trainer_of(
    model: Any,
    data: tuple[Encoded, Encoded],
    objective: Objective,
    settings: Settings,
    work: Path,
    say: Callable[[str], None],
) -> BinTrainer:
    """The trainer of a model on rows, the second of them held out (there may be none)."""
    train, held_out = data
    ranking = Ranking(held_out.rows) if held_out.rows else None

    def metrics(found: EvalPrediction) -> dict[str, float]:
        known = np.exp(np.asarray(found.predictions, dtype=float))
        known /= known.sum(-1, keepdims=True)
        expected = np.empty(len(held_out))
        for index, chances in zip(found.label_ids, known, strict=True):
            expected[index] = objective.worth(chances, held_out.rows[index].u)
        return {"ranking": ranking.of(expected) if ranking and ranking.possible else 0.0}

    callbacks: list[TrainerCallback] = [Progress(say)]
    if ranking:
        callbacks.append(EarlyStoppingCallback(settings.patience))
    trainer = BinTrainer(
        train.encoder,
        model=model,
        args=_arguments(settings, work, len(train), ranking),
        train_dataset=train,
        eval_dataset=held_out if ranking else None,
        compute_metrics=metrics if ranking else None,
        callbacks=callbacks,
    )
    trainer.remove_callback(PrinterCallback)
    return trainer


def _arguments(
    settings: Settings, work: Path, rows: int, ranking: Ranking | None
) -> TrainingArguments:
    """Checkpoints are made whenever held-out rows are ranked, or else once an epoch."""
    when = "steps" if settings.evaluate_every else "epoch"
    ranked = ranking is not None and ranking.possible
    return TrainingArguments(
        output_dir=str(work),
        num_train_epochs=settings.epochs,
        per_device_train_batch_size=settings.batch,
        per_device_eval_batch_size=settings.batch,
        gradient_accumulation_steps=settings.accumulate,
        learning_rate=settings.rate,
        lr_scheduler_type="cosine",
        warmup_steps=0.03,
        activation_checkpointing=True,
        activation_checkpointing_kwargs={"use_reentrant": False},
        bf16=_bfloat16(),
        use_cpu=not torch.cuda.is_available(),  # as the processes were counted
        eval_strategy=when if ranking else "no",
        save_strategy=when,
        eval_steps=settings.evaluate_every,
        save_steps=settings.evaluate_every or 500,  # unused where it is once an epoch
        save_total_limit=2,
        load_best_model_at_end=ranking is not None,
        metric_for_best_model="eval_ranking" if ranked else "eval_loss",
        greater_is_better=ranked,
        restore_callback_states_from_checkpoint=True,  # how long nothing was better
        logging_steps=max(1, rows // (20 * settings.batch * settings.accumulate)),
        seed=settings.seed,
        report_to="none",
        ddp_find_unused_parameters=False,  # each step uses all of them
        disable_tqdm=True,
        remove_unused_columns=False,
        dataloader_pin_memory=torch.cuda.is_available(),
    )


class Ranking:
    """Kendall's rank correlation of estimates and outcomes over held-out rows.

    Within decisions alone, as reranking needs it, averaged by the number of candidates: over all of
    them even a model of the search's progress correlates well and ranks nothing. ``possible`` is
    False if fewer than 10 decisions have 3 candidates with different outcomes.
    """

    def __init__(self, rows: Sequence[Row]) -> None:
        self._outcomes = np.array([row.value for row in rows])
        members: dict[tuple[str, int], list[int]] = {}
        for index, row in enumerate(rows):
            members.setdefault((row.run, row.expansion), []).append(index)
        groups = [np.array(group) for group in members.values() if len(group) >= _CANDIDATES]
        self._groups = [group for group in groups if np.ptp(self._outcomes[group]) > 0]
        self.possible = len(self._groups) >= _DECISIONS

    def of(self, estimates: Any) -> float:
        """The correlation of estimates, an estimate for each row; 0 if all are the same."""
        pairs = ((estimates[group], self._outcomes[group]) for group in self._groups)
        found = [Agreement().plus(told.tolist(), came.tolist()).tau for told, came in pairs]
        return float(np.average(found, weights=[len(group) for group in self._groups]))
