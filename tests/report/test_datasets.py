"""Runs as data sets for training: nothing but what a model wrote, and pairs that are certain."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from maxcode.errors import InputError
from maxcode.generators.llm import ModelGenerator
from maxcode.journal.journal import Journal, RunLog
from maxcode.models.base import Prompt
from maxcode.options import Options
from maxcode.policies.cuda_llm import CudaLLM
from maxcode.report import export, export_dataset
from maxcode.search.search import Search
from maxcode.testing import ScriptedCritic, ScriptedModel

ROUNDS = (("2.0", "2.001", "timeout 1"), ("3.0", "0.5", "2.0"))


@pytest.fixture
def log(toy: Callable[..., Search]) -> RunLog:
    """A run of two rounds of three answers; the second improves 2.001."""

    def script(prompt: Prompt, sample: int) -> str:
        return f"```\n{ROUNDS['2.001' in prompt.text][sample]}\n```"

    search = toy(
        generator=ModelGenerator(ScriptedModel(script)),
        critic=ScriptedCritic(),
        policy=CudaLLM(n=3, d=2),
        options=Options(fuzz=0, minimise=0.0),
    )
    search.run()
    return search.state.log


def rows(log: RunLog, folder: Path, to: str) -> list[dict[str, Any]]:
    count = export_dataset([log], folder, to)
    found = [json.loads(line) for line in (folder / f"{to}.jsonl").read_text().splitlines()]
    assert len(found) == count
    return found


def test_trajectories_hold_every_answer_with_its_verdict(log: RunLog, tmp_path: Path) -> None:
    found = rows(log, tmp_path, "trajectories")
    assert [(one["step"], one["parent"], one["expansion"]) for one in found] == [
        (1, 0, 0), (2, 0, 0), (3, 0, 0), (4, 2, 1), (5, 2, 1), (6, 2, 1),
    ]  # fmt: skip
    assert [one["status"] for one in found] == ["ok", "ok", "timeout", "ok", "ok", "ok"]
    assert found[0]["messages"][-1] == {"role": "assistant", "content": "```\n2.0\n```"}
    assert [one["role"] for one in found[0]["messages"]] == ["system", "user", "assistant"]
    assert found[3]["low"] < found[3]["reward"] == 3.0 < found[3]["high"]
    card = (tmp_path / "README.md").read_text()
    assert f"| {log.run_id} | toy | scripted:model |" in card
    assert "| 6 | 5 |" in card


def test_answers_to_learn_are_faster_than_the_baseline_and_copies_come_once(
    log: RunLog, tmp_path: Path
) -> None:
    assert [one["step"] for one in rows(log, tmp_path, "sft")] == [1, 2, 4]


def test_pairs_are_of_one_expansion_and_their_intervals_do_not_overlap(
    log: RunLog, tmp_path: Path
) -> None:
    found = rows(log, tmp_path, "dpo")
    pairs = [(one["step"], one["rejected_step"]) for one in found]
    assert pairs == [(1, 3), (2, 3), (4, 5), (4, 6), (6, 5)]  # 2.0 and 2.001 overlap
    assert found[0]["chosen"][0]["content"] == "```\n2.0\n```"
    assert (found[0]["chosen_reward"], found[0]["rejected_reward"]) == (2.0, 0.0)


def test_steps_name_the_call_that_wrote_them(log: RunLog, tmp_path: Path) -> None:
    export([log], tmp_path, texts=True)
    steps, calls = (
        [json.loads(line) for line in (tmp_path / f"{name}.jsonl").read_text().splitlines()]
        for name in ("steps", "calls")
    )
    by_number = {one["call"]: one for one in calls}
    assert steps[0]["call"] is None
    told = [by_number[one["call"]]["answer"] for one in steps[1:]]
    assert told == [f"```\n{number}\n```" for each in ROUNDS for number in each]


def test_wrong_requests_are_told(
    log: RunLog, journal: Journal, toy: Callable[..., Search], tmp_path: Path
) -> None:
    rows(log, tmp_path, "sft")
    with pytest.raises(InputError, match="is there already; replace it with --force"):
        export_dataset([log], tmp_path, "sft")
    with pytest.raises(InputError, match="unknown data set 'ppo'; known: sft, dpo, trajectories"):
        export_dataset([log], tmp_path, "ppo")
    search = toy()
    search.run()
    with pytest.raises(InputError, match="none of these runs has answers of a model"):
        export_dataset([search.state.log], tmp_path, "dpo")
