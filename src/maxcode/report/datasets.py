"""Runs as data sets to train language models on: SFT, DPO and trajectories, in chat messages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from maxcode.errors import InputError
from maxcode.files import table_file, write_text
from maxcode.journal.events import ProposalRecord
from maxcode.journal.journal import RunLog
from maxcode.journal.state import RunState
from maxcode.models.base import Prompt
from maxcode.report.history import History
from maxcode.text import counted
from maxcode.tree import Step

_CARD = "README.md"
_HEAD = """\
---
configs:
- config_name: default
  data_files: {to}.jsonl
---
# {rows} for {to}

{about}

Rewards are speedups over the task's own program as the search scored them, once; 0 is a program
that failed. The highest of many scores is too high. Answers are a model's: see its licence, and
that of the tasks, before others are trained on them.

| run | task | models | version | answers | of them correct |
|---|---|---|---|---|---|"""


@dataclass(frozen=True)
class Sample:
    """A candidate with the prompt and answer that it came from."""

    run: RunState
    step: Step
    record: ProposalRecord

    @property
    def reward(self) -> dict[str, float]:
        """Its speedup and the bounds; 0 for a failure."""
        found = self.step.evaluation.speedup
        low, high = (found.low, found.high) if found else (0.0, 0.0)
        return {"reward": self.step.reward, "low": low, "high": high}

    @property
    def prompt(self) -> list[dict[str, str]]:
        """Chat messages as sent."""
        return Prompt.of(self.run.log.text(self.record.prompt)).messages

    @property
    def answer(self) -> list[dict[str, str]]:
        """Chat message as received, without thinking."""
        return [{"role": "assistant", "content": self.run.log.text(self.record.answer)}]

    @property
    def origin(self) -> dict[str, Any]:
        """Run and task, model and step."""
        started = self.run.started
        return {
            "run": self.run.log.run_id,
            "task": started.task if started else None,
            "model": self.record.call.model if self.record.call else None,
            "step": self.step.id,
        }


def samples(log: RunLog) -> Iterator[Sample]:
    """Candidates of a run that a model wrote, in their order; failures of the harness left out."""
    history = History.of(log)
    for step_id, record in history.origins.items():
        step = history.state.tree[step_id]
        if record.prompt and record.answer and step.evaluation.status != "infrastructure":
            yield Sample(history.state, step, record)


def sft(found: Sequence[Sample]) -> Iterator[dict[str, Any]]:
    """Answers with a program that is faster than the task's: the interval is above 1."""
    for one in found:
        if one.reward["low"] > 1 and one.step.duplicate_of is None:
            yield {"messages": [*one.prompt, *one.answer], **one.reward, **one.origin}


def dpo(found: Sequence[Sample]) -> Iterator[dict[str, Any]]:
    """Pairs of answers to one prompt of one expansion whose intervals do not overlap."""
    for first, second in combinations(found, 2):
        a, b = sorted((first, second), key=lambda one: -one.reward["low"])
        same = a.step.expansion == b.step.expansion and a.record.prompt == b.record.prompt
        if same and a.reward["low"] > b.reward["high"]:
            yield {
                "prompt": a.prompt,
                "chosen": a.answer,
                "rejected": b.answer,
                "chosen_reward": a.step.reward,
                "rejected_reward": b.step.reward,
                **a.origin,
                "rejected_step": b.step.id,
            }


def trajectories(found: Sequence[Sample]) -> Iterator[dict[str, Any]]:
    """Each candidate with its verdict, its parent and the parent's critique."""
    for one in found:
        step, tree = one.step, one.run.tree
        critique = tree[step.parent or 0].critique
        yield {
            **one.origin,
            "parent": step.parent,
            "expansion": step.expansion,
            "messages": [*one.prompt, *one.answer],
            "status": step.evaluation.status.value,
            **one.reward,
            "best": step.id == tree.best.id,
            "feedback": step.evaluation.feedback or None,
            "critique": critique.text if critique else None,
        }


DATASETS: dict[str, Callable[[Sequence[Sample]], Iterator[Mapping[str, Any]]]] = {
    "sft": sft,
    "dpo": dpo,
    "trajectories": trajectories,
}
"""Kinds of data sets, and the rows that each makes of a run's samples."""


def export_dataset(logs: Iterable[RunLog], out: str | Path, to: str, *, force: bool = False) -> int:
    """Write a data set of runs, ``TO.jsonl`` with a card; gives the number of its rows.

    Raises :class:`InputError` for an unknown kind, for a file of an earlier export without
    ``force``, for an unwritable folder and where no run has a model's answers;
    :class:`~maxcode.errors.JournalError` for an unreadable run.
    """
    if to not in DATASETS:
        raise InputError(f"unknown data set {to!r}; known: {', '.join(DATASETS)}")
    path = Path(out) / f"{to}.jsonl"
    if path.exists() and not force:
        raise InputError(f"{path} is there already; replace it with --force")
    found = [each for log in logs if (each := list(samples(log)))]
    if not found:
        raise InputError("none of these runs has answers of a model; rewrites have no prompts")
    rows = [row for each in found for row in DATASETS[to](each)]
    try:
        Path(out).mkdir(parents=True, exist_ok=True)
        with table_file(path, rows[0] if rows else ()) as write:
            for row in rows:
                write(row)
        write_text(Path(out) / _CARD, _card(to, len(rows), found))
    except OSError as error:
        raise InputError(f"cannot write {out}: {error.strerror or error}") from error
    return len(rows)


def _card(to: str, rows: int, found: Sequence[Sequence[Sample]]) -> str:
    """Description of a data set: its rows, and the runs that they come from."""
    about = (DATASETS[to].__doc__ or "").strip()
    lines = [_HEAD.format(to=to, rows=counted(rows, "row"), about=about)]
    for each in found:
        state, models = each[0].run, Counter(str(one.origin["model"]) for one in each)
        started, right = state.started, sum(one.step.evaluation.ok for one in each)
        task, version = (started.task, started.version) if started else ("", "")
        cells = (state.log.run_id, task, ", ".join(models), version, len(each), right)
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join([*lines, ""])
