import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from maxcode.budget import Budget
from maxcode.cli.main import app
from maxcode.journal.journal import Journal
from maxcode.landscape import Landscape, LandscapeExecutor, LandscapeGenerator, Terrain
from maxcode.options import Options
from maxcode.policies.best_of_n import BestOfN
from maxcode.reward_to_go.dataset import Dataset
from maxcode.search.search import Search

Run = Callable[..., Result]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a run on each of three landscapes."""
    path = tmp_path_factory.mktemp("store") / "runs.db"
    with Journal.open(path) as journal:
        for seed in (1, 2, 3):
            Search(
                Landscape.on(Terrain(seed, size=6)),
                generator=LandscapeGenerator(),
                executor=LandscapeExecutor(),
                policy=BestOfN(),
                budget=Budget(evaluations=8),
                options=Options(threads=1),
                journal=journal,
            ).run()
    return path


@pytest.fixture
def run(tmp_path: Path, made: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs `maxcode rtg dataset` in a folder with the store `runs.db`."""
    shutil.copy(made, tmp_path / "runs.db")
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: CliRunner().invoke(app, ["rtg", "dataset", *arguments])


@pytest.mark.slow
def test_a_dataset_of_a_store(run: Run, tmp_path: Path) -> None:
    done = run("--store", "runs.db", "--out", "data", "--edges", "0,.9,1.2", "--gamma", ".9")
    assert done.exit_code == 0, done.output
    card = Dataset(tmp_path / "data").card
    assert card.stores == ("runs.db",)
    assert (card.gamma, card.returns, card.bins.edges) == (0.9, "max", (0.0, 0.9, 1.2))
    told = {line[:28].strip(): line[28:].split() for line in done.stdout.splitlines()}
    assert told["tasks"] == ["2", "1"]
    assert told["rows"] == [str(card.train.rows), str(card.held_out.rows)]
    assert "share: 0.9 to 1.2" in done.stdout
    assert "tokens of a candidate: median" in done.stdout
    assert "estimated" in done.stderr


@pytest.mark.slow
def test_several_stores_each_run_once(run: Run, tmp_path: Path) -> None:
    shutil.copy("runs.db", "copy.db")
    done = run("--store", "runs.db", "--store", f"sqlite:///{tmp_path}/copy.db", "--out", "data")
    assert done.exit_code == 0, done.output
    card = Dataset("data").card
    assert (card.runs, len(card.stores)) == (3, 2)


def test_runs_and_tasks_that_are_named(run: Run) -> None:
    with Journal.open("runs.db", create=False) as journal:
        ids = journal.run_ids()
    some = ("--only", ids[0][:-2], "--only", ids[1], "--hold", "landscape:seed=2,size=6")
    done = run("--store", "runs.db", "--out", "data", *some)
    assert done.exit_code == 0, done.output
    card = Dataset("data").card
    assert card.runs == 2
    assert card.trained_on.held_out == ("landscape:seed=2,size=6",)


@pytest.mark.slow
def test_it_can_be_made_again(run: Run) -> None:
    assert run("--store", "runs.db", "--out", "data").exit_code == 0
    again = run("--store", "runs.db", "--out", "data")
    assert (again.exit_code, "--force" in again.stderr) == (2, True)
    forced = run("--store", "runs.db", "--out", "data", "--force")
    assert forced.exit_code == 0


@pytest.mark.slow
def test_runs_without_candidates_are_told(run: Run) -> None:
    with Journal.open("runs.db", create=False) as journal:
        first = next(journal.run(journal.run_ids()[0]).events()).event
        journal.create_run("begun").append(first)
    done = run("--store", "runs.db", "--out", "data")
    assert "1 run had no candidate that was judged" in done.stderr
    assert json.loads(Path("data/card.json").read_text())["empty_runs"] == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--store", "missing.db"), "missing.db"),
        (("--store", "runs.db", "--only", "nobody"), "no run begins with 'nobody' in runs.db"),
        (("--store", "runs.db", "--returns", "mean"), "known: max, sum"),
        (("--store", "runs.db", "--gamma", "2"), "gamma must lie in (0, 1]"),
        (("--store", "runs.db", "--edges", "0,much"), "--edges are numbers"),
        (("--store", "runs.db", "--edges", "1,2"), "edges rise from 0"),
        (("--store", "runs.db", "--held-out", "2"), "between 0 and 1"),
        (("--store", "runs.db", "--hold", "x"), "no task 'x' to hold out"),
    ],
)
def test_wrong_use(run: Run, arguments: tuple[str, ...], said: str) -> None:
    done = run(*arguments, "--out", "data")
    assert done.exit_code == 2
    assert said in done.stderr
    assert not Path("data").exists()
