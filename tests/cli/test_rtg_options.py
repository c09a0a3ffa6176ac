"""Reward-to-go models from the command line: who ranks, how many are run, and what is told."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from subprocess import CompletedProcess

import pytest
from tests.cli.conftest import Run
from tests.provider import LoopbackProvider
from tests.reward_to_go.training.conftest import BINS, row

from maxcode.cli.models import ModelConfig
from maxcode.cli.plugins import make_reward_to_go
from maxcode.errors import InputError
from maxcode.journal.events import (
    Granted,
    RunStarted,
)
from maxcode.journal.journal import Journal
from maxcode.models.openai import FirstTokenModel
from maxcode.reward_to_go.feature_model import FeatureRewardToGo
from maxcode.reward_to_go.features import NAMES
from maxcode.reward_to_go.objective import Bins, Objective
from maxcode.reward_to_go.openai import OpenAIRewardToGo
from maxcode.reward_to_go.saved import Saved

TASK = "landscape:seed=3,size=8"
PLUGINS = "--generator landscape --store runs.db"
SEARCH = f"optimize {TASK} {PLUGINS}"


@pytest.fixture(autouse=True)
def _surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def url() -> Iterator[str]:
    with LoopbackProvider() as provider:
        yield provider.openai_url


def _granted(folder: Path) -> list[tuple[int, int]]:
    with Journal.open(folder / "runs.db") as journal:
        events = [recorded.event for recorded in journal.run("last").events()]
    return [(event.propose, event.run) for event in events if isinstance(event, Granted)]


# -- what the strings mean -------------------------------------------------------------------------


def test_a_served_model_has_the_bins_that_it_is_given(tmp_path: Path) -> None:
    address = "openai:rtg@http://localhost:9/v1"
    saved = Saved(kind="transformers", bins=Bins((0.0, 1.0), (0.0, 0.4, 3.0)), gamma=0.9)
    saved.write(tmp_path)
    model = make_reward_to_go(f"{address},bins={tmp_path},price=0/0,in_flight=3", ModelConfig())
    assert isinstance(model, OpenAIRewardToGo)
    assert isinstance(model.model, FirstTokenModel)
    assert (model.model.model, model.model.limits.in_flight) == ("rtg", 3)
    assert (model.objective.bins, model.objective.gamma) == (saved.bins, 0.9)
    plain = make_reward_to_go(address)
    assert isinstance(plain, OpenAIRewardToGo)
    assert plain.objective.bins == Bins()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nobody", "unknown reward-to-go model 'nobody'; known: random, reward-so-far, the folder"),
        ("openai:x@http://h:1,bins=nowhere", "nowhere holds no reward-to-go model"),
        ("openai:x@http://h:1,max_tokens=5", "FirstTokenModel takes: key, top_logprobs"),
        ("openai:", "names no model"),
        ("maxcode.policies.beam:Beam", "does not inherit maxcode.RewardToGo"),
    ],
)
def test_what_cannot_be_read_is_told(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make_reward_to_go(text)


# -- optimize, resume and show ---------------------------------------------------------------------


@pytest.mark.slow
def test_some_of_the_proposed_are_run_and_resumed_alike(inside: Run, folder: Path) -> None:
    ranked = ("--reward-to-go", "random:seed=2", "--options", "propose=6,run=2,explore=0.25")
    search = ("--policy", "maxcode-greedy:k=4", "--budget", "evaluations=8")
    inside(SEARCH, *ranked, *search, COLUMNS="200", code=(0, 1))
    told = inside("show --store runs.db", COLUMNS="200").stdout
    assert "they order candidates " in told
    assert " pairs" in told
    assert _granted(folder)[0] == (12, 4)
    with Journal.open(folder / "runs.db") as journal:
        started = next(journal.run("last").events()).event
    assert isinstance(started, RunStarted)
    own = started.options
    assert (own.propose, own.run, own.explore, own.guard) == (6, 2, 0.25, False)
    before = len(_granted(folder))
    inside("resume last --budget evaluations=16 --store runs.db", code=(0, 1))
    assert all(proposed == 3 * run for proposed, run in _granted(folder)[before:])
    assert len(_granted(folder)) > before

    shown = inside("show --store runs.db --all", COLUMNS="200")
    assert "estimate" in shown.stdout
    assert "they order candidates" in shown.stdout
    document = json.loads(inside("show --store runs.db --json").stdout)
    assert document["estimates"]["pairs"] > 0
    assert document["estimates"]["chance"] > 0
    assert document["steps"][0]["estimate"] is None
    assert all(step["estimate"] >= 0 for step in document["steps"][1:])
    assert "to be reached" in inside("show --store runs.db --step 1").stdout


@pytest.mark.slow
def test_a_guarded_model_that_knows_nothing_is_not_heeded(inside: Run, folder: Path) -> None:
    ranked = "--reward-to-go reward-so-far --options guard=yes --policy maxcode:k=4"
    inside(f"{SEARCH} {ranked} --budget evaluations=16", code=(0, 1))
    assert all(proposed == run for proposed, run in _granted(folder))
    told = inside("show --store runs.db", COLUMNS="200").stdout
    assert "no two candidates of a state tell whether they are right" in told


@pytest.mark.slow
def test_what_a_served_model_costs_is_told_and_counted(inside: Run, url: str) -> None:
    model = f"openai:rtg@{url},price=3/15"
    search = f"{SEARCH} --policy maxcode:k=2 --seed 1 --budget evaluations=6,usd=2 --json"
    told = json.loads(inside(search, "--reward-to-go", model, code=(0, 1)).stdout)
    assert told["cost"]["tokens"] > 0
    dollars = sum(one["dollars"] for one in told["models"].values())
    assert dollars == pytest.approx(told["cost"]["dollars"])
    unpriced = ("--reward-to-go", f"openai:rtg@{url}", "--budget", "evaluations=6,usd=2")
    inside(SEARCH, *unpriced, code=2, says="the price of rtg is not known")


def test_a_dry_run_shows_what_is_asked_of_a_served_model(inside: Run, url: str) -> None:
    model = f"openai:rtg@{url},price=3/15"
    done = inside(f"{SEARCH} --options propose=3 --dry-run --reward-to-go", model, code=0)
    assert "is asked what a candidate may lead to" in done.stdout
    assert "Which bin?" in done.stdout
    assert "candidates, for about $" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--options", "guard=yes"), "guard=... goes with a reward-to-go model"),
        (("--options", "propse=4"), "cannot read 'propse=4' in '--options propse=4' (did you mean"),
        (("--options", "recipe={}"), "cannot read 'recipe={}'"),
        (("--options", "trainer=x"), "cannot read 'trainer=x'"),
        (("--reward-to-go", "random", "--options", "propose=2,run=3"), "cannot run 3 of 2"),
        (("--reward-to-go", "random", "--options", "explore=2"), "explore must be from 0 to 1"),
        (("--policy", "beam:by=reward-to-go"), "there is no model to make them"),
        (("--reward-to-go", "nobody"), "unknown reward-to-go model 'nobody'"),
    ],
)
def test_wrong_combinations_are_told_before_anything_runs(
    inside: Run, folder: Path, arguments: tuple[str, ...], told: str
) -> None:
    done = inside(SEARCH, *arguments, code=2)
    assert told in " ".join(done.stderr.split())
    assert not (folder / "runs.db").exists()


def _save_features(folder: Path, seed: int) -> None:
    """A model of features that knows little, in the same folder whatever the seed."""
    random = Random(seed)
    words = ("broken", "slow", "plain")
    rows = [
        row(i, i, random.choice(words), features={NAMES[0]: random.random()}) for i in range(30)
    ]
    FeatureRewardToGo.train(rows, Objective(BINS), seed=seed).save(folder)


@pytest.mark.slow
def test_a_model_that_was_trained_again_is_another(inside: Run, folder: Path) -> None:
    _save_features(folder / "model", 1)
    model = ("--reward-to-go", "model")
    resume = ("resume", "last", "--store", "runs.db", "--budget")
    inside(SEARCH, *model, "--budget", "evaluations=4", code=(0, 1))
    inside(*resume, "evaluations=6", code=(0, 1))
    _save_features(folder / "model", 2)
    refused = inside(*resume, "evaluations=8", code=2)
    assert "begun with another reward-to-go model than the one that" in refused.stderr
    assert _compare(inside, *model).returncode == 0
    assert "3 of 3 runs are in the store" in _compare(inside, *model).stderr
    _save_features(folder / "model", 1)
    assert "2 of 3 runs are in the store" in _compare(inside, *model).stderr


# -- compare ---------------------------------------------------------------------------------------


def _compare(inside: Run, *arguments: str) -> CompletedProcess[str]:
    budget = ("--seeds", "1", "--budget", "evaluations=4")
    return inside(f"compare {TASK} {PLUGINS}", *budget, *arguments)


@pytest.mark.slow
def test_methods_with_and_without_a_model_are_compared(inside: Run, folder: Path) -> None:
    model = ("--reward-to-go", "random")
    done = _compare(inside, *model, "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["methods"] == ["best-of-n", "maxcode", "maxcode+rtg"]
    assert told["control"] == "best-of-n"
    changed = _compare(inside, *model, "--options", "propose=4")
    assert "2 of 3 runs are in the store" in changed.stderr  # those that no model ranks

    again = inside("resume", told["runs"][0]["run_id"], "--store", "runs.db", code=2)
    assert "the same maxcode compare command" in again.stderr


@pytest.mark.slow
def test_methods_may_have_models_of_their_own(inside: Run, folder: Path) -> None:
    names = ["best-of-n@reward-to-go=random:seed=3", "maxcode:k=2@none@reward-to-go=random"]
    done = _compare(inside, "--policy", names[0], "--policy", names[1], "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["methods"] == ["best-of-n", *names]
    assert told["control"] == "best-of-n"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--policy", "maxcode+rtg"), "add --reward-to-go MODEL"),
        (("--policy", "maxcode@model=random"), "cannot read @model="),
        (("--policy", "maxcode", "--reward-to-go", "random"), "written like maxcode+rtg"),
        (("--reward-to-go", "own=random"), "unknown reward-to-go model 'own=random'"),
        (("--options", "explore=0.5"), "explore=... goes with a reward-to-go model"),
        (("--policy", "beam:by=reward-to-go"), "+rtg to the policy"),
    ],
)
def test_wrong_comparisons_are_told_before_anything_runs(
    inside: Run, folder: Path, arguments: tuple[str, ...], told: str
) -> None:
    done = _compare(inside, *arguments)
    assert done.returncode == 2
    assert told in " ".join(done.stderr.split())
    assert not (folder / "runs.db").exists()


def test_nothing_is_said_of_isolation_where_nothing_is_run(inside: Run, folder: Path) -> None:
    arguments = ("--budget", "evaluations=2")
    done = inside(SEARCH, *arguments, PATH=str(folder), code=(0, 1))
    assert "isolat" not in done.stdout + done.stderr
