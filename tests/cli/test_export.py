import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.cli.conftest import Run

from maxcode.journal.journal import Journal

pytestmark = pytest.mark.slow


STORE = "--store runs.db"
OPTIMIZE = f"optimize landscape:size=6 --generator landscape --policy best-of-n {STORE} --json"
EXPORT = f"store export {STORE}"


@pytest.fixture
def made(inside: Run) -> list[str]:
    """The ids of two runs, in the order in which they were made."""
    search = f"{OPTIMIZE} --budget evaluations=4 --seed"
    return [json.loads(inside(f"{search} {seed}").stdout)["run_id"] for seed in (0, 1)]


def _runs(folder: Path) -> list[str]:
    lines = (folder / "runs.jsonl").read_text().splitlines()
    return [json.loads(line)["run"] for line in lines]


def test_runs_that_are_named_and_all_of_them(inside: Run, folder: Path, made: list[str]) -> None:
    done = inside(f"{EXPORT} last -o two", made[0], made[1][:-1], code=0)
    assert done.stdout == ""
    told = r"two: runs 2, steps \d+, calls 0\n"
    assert re.fullmatch(told, done.stderr)
    assert _runs(folder / "two") == [made[1], made[0]]
    inside(f"{EXPORT} --all --to jsonl -o all", code=0)
    assert _runs(folder / "all") == made
    inside(f"{EXPORT} last -o all", code=2, says="replace it with --force")
    assert _runs(folder / "all") == made
    inside(f"{EXPORT} last -o all --force", code=0)
    assert _runs(folder / "all") == made[1:]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("-o out", "name the runs to export, or give --all"),
        ("last --all -o out", "name the runs to export, or give --all"),
        ("last", "Missing option"),
        ("last --to xlsx -o out", "'xlsx' is not one of"),
        ("nothing -o out", "no run 'nothing'"),
    ],
)
@pytest.mark.usefixtures("made")
def test_wrong_use(inside: Run, folder: Path, arguments: str, said: str) -> None:
    inside(f"{EXPORT} {arguments}", code=2, says=said)
    assert not (folder / "out").exists()


def test_a_run_is_logged_while_it_goes_on_and_when_it_is_resumed(inside: Run, folder: Path) -> None:
    accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    done = inside(f"{OPTIMIZE} --budget evaluations=3 --log tensorboard:logs")
    run_id = json.loads(done.stdout)["run_id"]
    inside(f"resume {run_id} --budget evaluations=5 {STORE}", code=(0, 1))
    read = accumulator.EventAccumulator(str(folder / "logs" / run_id)).Reload()
    assert [one.step for one in read.Scalars("best/speedup")] == [0, 1, 2, 3, 4, 5]


def test_an_unknown_place_is_said_before_anything_is_run(inside: Run, folder: Path) -> None:
    said = "unknown run logger 'tensorboards:logs' (did you mean tensorboard?); known: mlflow"
    inside(f"{OPTIMIZE} --log tensorboards:logs", code=2, says=said)
    with Journal.open(folder / "runs.db") as journal:
        assert journal.run_ids() == []


def test_no_password_is_kept(inside: Run) -> None:
    for where in ("https://me:secret@host", "postgresql://me:secret@host/db"):
        done = inside(f"{OPTIMIZE} --log", f"mlflow:{where}", code=2, says="MLFLOW_TRACKING_PASS")
        assert "secret" not in done.stderr


def test_a_damaged_run_takes_down_no_list_and_no_export(
    inside: Run, folder: Path, made: list[str]
) -> None:
    with closing(sqlite3.connect(folder / "runs.db")) as connection, connection:
        connection.execute(
            "UPDATE maxcode_events SET body = replace(body, '0', '1') WHERE run = ? AND seq = 3",
            (made[0],),
        )

    def statuses(store: str) -> dict[str, str]:
        listed = json.loads(inside(f"runs --json --store {store}").stdout)["runs"]
        return {run["run_id"]: run["status"] for run in listed}

    damage = f"{made[0]}: event 3 is damaged"
    assert statuses("runs.db") == {made[1]: "done", made[0]: "unreadable"}
    assert "unreadable" in inside(f"runs {STORE}").stdout
    inside(f"{EXPORT} --all -o all", code=1, says=f"left out: run {damage}")
    assert _runs(folder / "all") == made[1:]
    inside(f"{EXPORT} {made[0]} -o one", code=2)
    assert not list(folder.glob("one/*"))
    checked = inside("store check runs.db", code=1, says="store check runs.db --out NEW.db")
    assert damage in checked.stdout
    kept = inside("store check runs.db --out new.db", code=1)
    assert f"run {made[0]}: 3 events kept" in kept.stdout
    inside("store check new.db", code=0)
    inside("store check new.db --out new.db", code=2)
    assert statuses("new.db")[made[1]] == "done"
    assert "unreadable" not in statuses("new.db").values()
