"""`maxcode rtg evaluate`: models on the decisions of runs, and what runs recorded themselves."""

import json
import shutil
from pathlib import Path

import pytest
from tests.cli.conftest import Run

from maxcode.budget import Budget
from maxcode.interfaces import RewardToGo
from maxcode.journal.journal import Journal
from maxcode.landscape import Landscape, LandscapeExecutor, LandscapeGenerator, Terrain
from maxcode.options import Options
from maxcode.policies.maxcode_loop import MaxCodeLoop
from maxcode.reward_to_go.baselines import RandomRewardToGo
from maxcode.reward_to_go.building import Recipe, Split, build
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
def stores(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("stores")
    return {
        "plain.db": store(folder / "plain.db", None),
        "ranked.db": store(folder / "ranked.db", RandomRewardToGo()),
    }


@pytest.fixture
def evaluate(folder: Path, stores: dict[str, Path], inside: Run) -> Run:
    """Runs the command beside both stores and a module with an oracle."""
    for name, path in stores.items():
        shutil.copy(path, folder / name)
    (folder / "rtg_oracle.py").write_text(ORACLE)
    return lambda first, *others, **env: inside(f"rtg evaluate {first}", *others, **env)


def test_models_side_by_side_on_the_screen_and_in_a_file(evaluate: Run, folder: Path) -> None:
    done = evaluate(
        "--store plain.db --model rtg_oracle:Oracle --model random:seed=4 --model reward-so-far "
        "--json",
        code=0,
    )
    assert "rtg_oracle:Oracle: ranks better than chance" in done.stderr
    assert "random:seed=4: ranks no better than chance: the interval" in done.stderr
    assert "reward-so-far: ranks no better than chance: it likes all" in done.stderr
    assert "in 6 runs of 3 tasks" in done.stderr
    told = json.loads(done.stdout)["models"]
    oracle, random = told["rtg_oracle:Oracle"], told["random:seed=4"]
    assert oracle["ranks"] is True
    assert random["ranks"] is False
    assert oracle["candidates"] == random["candidates"] == 96
    assert oracle["figures"]["within_reward.kendall"]["value"] > 0.6
    assert oracle["figures"]["brier"]["value"] < 0.1
    assert random["figures"]["brier"] is None


def test_the_tables_fit_a_screen_of_80_columns(evaluate: Run) -> None:
    models = ("--model", "rtg_oracle:Oracle", "--model", "random")
    done = evaluate("--store plain.db", *models, COLUMNS="80")
    assert all(len(line) <= 80 for line in done.stdout.splitlines())
    assert "..." not in done.stdout
    assert "…" not in done.stdout


def test_the_estimates_of_runs_and_those_drawn_at_random(evaluate: Run, folder: Path) -> None:
    done = evaluate("--store ranked.db --store plain.db --json", code=0)
    told = json.loads(done.stdout)["models"]
    every, drawn = told["the runs' own"], told["of those, drawn at random"]
    assert every["candidates"] == 96
    assert 0 < drawn["candidates"] == drawn["explored"] == every["explored"] < 96
    assert f"{drawn['candidates']} at random" in done.stderr
    assert every["judged_by"] == "reward"
    assert 'the verdicts go by "tau, own reward"' in done.stderr
    assert every["figures"]["brier"] is None
    assert "probabilities are not judged" in done.stderr


def test_what_was_asked_before_a_failure_is_told(evaluate: Run, folder: Path) -> None:
    done = evaluate("--store plain.db --model rtg_oracle:Tired --json")
    assert done.returncode != 0
    assert "no more" in done.stderr
    assert "figures are of what was asked until it failed" in done.stderr
    told = json.loads(done.stdout)["models"]["rtg_oracle:Tired"]
    assert told["decisions"] == 9


def test_only_tasks_that_a_dataset_holds_out(evaluate: Run, folder: Path) -> None:
    with Journal.open(folder / "plain.db") as journal:
        logs = [journal.run(run_id) for run_id in journal.run_ids()]
        held = "landscape:seed=2,size=6"
        build(folder / "data", ["plain.db"], logs, Recipe(split=Split(hold=(held,))))
    command = ("--store", "plain.db", "--model", "rtg_oracle:Oracle", "--json")
    done = evaluate(*command, "--data", "data", code=0)
    told = json.loads(done.stdout)["models"]["rtg_oracle:Oracle"]
    assert (told["tasks"], told["candidates"]) == (1, 32)
    third = next(log.run_id for log in logs if "seed-3" in log.run_id)
    done = evaluate("--store plain.db --data data --only", third, code=2)
    assert "has run one on the tasks that data holds out" in " ".join(done.stderr.split())


def test_a_model_that_knows_the_tasks_is_told(evaluate: Run, folder: Path) -> None:
    model = ("--model", "rtg_oracle:Trained")
    done = evaluate("--store plain.db", *model)
    said = " ".join(done.stdout.split())
    assert "rtg_oracle:Trained: no verdict: it was trained or chosen on 3 of 3 tasks" in said
    with Journal.open(folder / "plain.db") as journal:
        third = [
            log.run_id for log in map(journal.run, journal.run_ids()) if "seed-3" in log.run_id
        ]
    done = evaluate("--store plain.db", *model, "--only", third[0], code=0)
    assert "in 1 run of 1 task; a single run says little" in done.stdout
    assert "ranks" not in done.stdout


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--store", "none.db", "--model", "random"), "none.db"),
        (("--store", "plain.db"), "made no estimates: name a model with --model"),
        (("--store", "plain.db", "--model", "none"), "--model none is no model"),
        (("--store", "plain.db", "--model", "nobody"), "nobody"),
        (("--store", "plain.db", "--model", "random", "--only", "xyz"), "'xyz'"),
        (("--store", "plain.db", "--model", "random", "--data", "none"), "holds no dataset"),
    ],
)
def test_wrong_use_is_told(evaluate: Run, arguments: tuple[str, ...], told: str) -> None:
    done = evaluate(*arguments, code=2)
    assert told in " ".join(done.stderr.split())
