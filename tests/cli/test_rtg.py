"""`maxcode rtg dataset` and `rtg evaluate`: datasets of runs, and models on their decisions."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Run

from maxcode.budget import Budget
from maxcode.interfaces import RewardToGo
from maxcode.journal.journal import Journal
from maxcode.landscape import Landscape, LandscapeExecutor, LandscapeGenerator, Terrain
from maxcode.options import Options
from maxcode.policies.maxcode_loop import MaxCodeLoop
from maxcode.reward_to_go.baselines import RandomRewardToGo
from maxcode.reward_to_go.dataset import Card, Dataset
from maxcode.search.search import Search

pytestmark = pytest.mark.slow

ORACLE = '''\
"""Knows the landscapes."""

from maxcode import RewardToGo
from maxcode.errors import RewardToGoError
from maxcode.landscape import Landscape, Terrain
from maxcode.reward_to_go.objective import Bins
from maxcode.reward_to_go.saved import Saved, TrainedOn
from maxcode.tree import Value


class Oracle(RewardToGo):
    def predict(self, observation, programs):
        task = Landscape.on(Terrain(int(observation.task.name[15]), size=6))
        values = []
        for program in programs:
            expected = max(task.speedup(program), observation.path.u)
            tail = [float(expected >= edge) for edge in (0.5, 0.9, 1.1, 1.5, 2, 3, 5, 10)]
            bins = [1 - tail[0], *(a - b for a, b in zip(tail, [*tail[1:], 0.0]))]
            values.append(Value(expected, (0.0, *bins)))
        return values


class Tired(Oracle):
    asked = 0

    def predict(self, observation, programs):
        self.asked += 1
        if self.asked > 9:
            raise RewardToGoError("no more")
        return super().predict(observation, programs)


class Trained(Oracle):
    tasks = [Landscape.on(Terrain(seed, size=6)) for seed in (1, 2)]
    known = TrainedOn(
        tasks=[f"landscape:seed={seed},size=6" for seed in (1, 2, 3)],  # 3 was another by content
        digests=[task.digest for task in tasks],
    )
    saved = Saved(kind="features", bins=Bins(), trained_on=known)
'''


def store(path: Path, model: RewardToGo | None) -> Path:
    """Two runs on each of three landscapes."""
    with Journal.open(path) as journal:
        for seed in range(6):
            Search(
                Landscape.on(Terrain(1 + seed % 3, size=6)),
                generator=LandscapeGenerator(),
                executor=LandscapeExecutor(),
                policy=MaxCodeLoop(k=4),
                reward_to_go=model,
                budget=Budget(evaluations=16),
                options=Options(seed=seed, threads=1, explore=0.5),
                journal=journal,
            ).run()
    return path


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("stores")
    models = {"plain.db": None, "ranked.db": RandomRewardToGo()}
    return [store(folder / name, model) for name, model in models.items()]


@pytest.fixture
def rtg(folder: Path, stores: list[Path], inside: Run) -> Run:
    """Runs a command beside both stores and a module with an oracle."""
    for path in stores:
        shutil.copy(path, folder)
    (folder / "rtg_oracle.py").write_text(ORACLE)
    return lambda first, *others, **env: inside(f"rtg {first}", *others, **env)


def _models(text: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(text)["models"]
    return found


# -- dataset ---------------------------------------------------------------------------------------


def runs_of(card: Card) -> int:
    return sum(task.runs for task in card.tasks)


def test_a_dataset_of_stores_has_each_run_once(rtg: Run, folder: Path) -> None:
    shutil.copy("plain.db", "copy.db")
    command = f"dataset --store plain.db --store sqlite:///{folder}/copy.db --out data"
    done = rtg(f"{command} --edges 0,.9,1.2 --gamma .9", code=0)
    card = Dataset("data").card
    assert (runs_of(card), len(card.stores)) == (6, 2)
    assert (card.gamma, card.returns, card.bins.edges) == (0.9, "max", (0.0, 0.9, 1.2))
    told = {name: rest for name, *rest in map(str.split, done.stdout.splitlines())}
    assert told["tasks"] == ["2", "1"]
    assert sum(map(int, told["rows"])) == sum(task.rows for task in card.tasks)
    rtg(command, code=2, says="--force")
    rtg(f"{command} --force", code=0)


def test_runs_and_tasks_that_are_named_and_runs_without_candidates(rtg: Run) -> None:
    with Journal.open("plain.db", create=False) as journal:
        ids = journal.run_ids()
        first = next(journal.run(ids[0]).events()).event
        journal.create_run("begun").append(first)
    held = "landscape:seed=2,size=6"
    rtg(f"dataset --store plain.db --out data --hold {held}", code=0, says="1 run had no candidate")
    card = Dataset("data").card
    assert (runs_of(card), card.empty_runs, card.trained_on.held_out) == (6, 1, (held,))


# -- evaluate --------------------------------------------------------------------------------------


def test_models_side_by_side_on_the_screen_and_in_a_file(rtg: Run) -> None:
    models = "--model rtg_oracle:Oracle --model random:seed=4 --model reward-so-far"
    done = rtg(f"evaluate --store plain.db {models} --json", code=0)
    for said in (
        "rtg_oracle:Oracle: ranks better than chance",
        "random:seed=4: ranks no better than chance: the interval",
        "reward-so-far: ranks no better than chance: it likes all",
        "in 6 runs of 3 tasks",
    ):
        assert said in done.stderr
    told = _models(done.stdout)
    oracle, random = told["rtg_oracle:Oracle"], told["random:seed=4"]
    assert (oracle["ranks"], random["ranks"]) == (True, False)
    assert oracle["candidates"] == random["candidates"] == 96
    assert oracle["figures"]["within_reward.kendall"]["value"] > 0.6
    assert oracle["figures"]["brier"]["value"] < 0.1
    assert random["figures"]["brier"] is None


def test_runs_that_a_model_steered_are_judged_by_rewards(rtg: Run) -> None:
    done = rtg("evaluate --store ranked.db --store plain.db --model random --json", code=0)
    told = _models(done.stdout)["random"]
    assert 0 < told["explored"] < told["candidates"]
    assert f"{told['explored']} at random" in done.stderr
    assert told["judged_by"] == "reward"
    assert 'verdicts go by "tau, own reward"' in " ".join(done.stderr.split())


def test_figures_before_a_failure_are_told(rtg: Run) -> None:
    done = rtg("evaluate --store plain.db --model rtg_oracle:Tired --json", code=3, says="no more")
    assert "figures are of what was asked until it failed" in done.stderr
    assert _models(done.stdout)["rtg_oracle:Tired"]["decisions"] == 9


def test_only_tasks_that_a_dataset_holds_out(rtg: Run, folder: Path) -> None:
    rtg("dataset --store plain.db --out data --hold landscape:seed=2,size=6", code=0)
    command = "evaluate --store plain.db --data data"
    done = rtg(f"{command} --model rtg_oracle:Oracle --json", code=0)
    told = _models(done.stdout)["rtg_oracle:Oracle"]
    assert (told["tasks"], told["candidates"]) == (1, 32)
    Journal.open(folder / "empty.db").close()
    done = rtg("evaluate --store empty.db --data data --model random", code=2)
    assert "has run one on the tasks that data holds out" in " ".join(done.stderr.split())


def test_a_model_that_knows_the_tasks_is_told(rtg: Run, folder: Path) -> None:
    command = "evaluate --store plain.db --model rtg_oracle:Trained"
    said = " ".join(rtg(command).stdout.split())
    assert "rtg_oracle:Trained: no verdict: it was trained or chosen on 3 of 3 tasks" in said
    rtg("dataset --store plain.db --out data --hold landscape:seed=3,size=6", code=0)
    shown = rtg(f"{command} --data data", code=0).stdout
    assert "in 2 runs of 1 task; of so few tasks" in shown
    assert "ranks" not in shown


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("dataset --out data --store missing.db", "missing.db"),
        ("dataset --out data --store plain.db --returns mean", "'mean' is not one of"),
        ("dataset --out data --store plain.db --edges 0,much", "--edges are numbers"),
        ("dataset --out data --store plain.db --held-out 2", "between 0 and 1"),
        ("dataset --out data --store plain.db --hold x", "no task 'x' to hold out"),
        ("evaluate --store plain.db", "Missing option '--model'"),
        ("evaluate --store plain.db --model none", "--model none is no model"),
        ("evaluate --store plain.db --model nobody", "nobody"),
        ("evaluate --store plain.db --model random --data none", "holds no dataset"),
    ],
)
def test_wrong_use_is_told(rtg: Run, arguments: str, told: str) -> None:
    assert told in " ".join(rtg(arguments, code=2).stderr.split())
    assert not Path("data").exists()
