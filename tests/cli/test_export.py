import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests._runs import begun
from tests.cli.conftest import Run

from maxcode.cli.plugins import absolute_logger
from maxcode.journal.journal import Journal

pytestmark = pytest.mark.slow


OPTIMIZE = (
    *("optimize", "landscape:size=6", "--generator", "landscape", "--policy", "best-of-n"),
    *("--store", "runs.db", "--json"),
)


@pytest.fixture
def made(inside: Run, folder: Path) -> list[str]:
    """The ids of two runs, in the order in which they were made."""
    ids = []
    for seed in ("0", "1"):
        done = inside(*OPTIMIZE, "--budget", "evaluations=4", "--seed", seed)
        ids.append(json.loads(done.stdout)["run_id"])
    return ids


def _runs(folder: Path) -> list[str]:
    lines = (folder / "runs.jsonl").read_text().splitlines()
    return [json.loads(line)["run"] for line in lines]


def test_runs_that_are_named_and_all_of_them(inside: Run, folder: Path, made: list[str]) -> None:
    store = ("--store", "runs.db")
    done = inside("store export last", made[0], made[1][:-1], "-o", "two", *store, code=0)
    assert done.stdout == ""
    told = r"two: runs 2, steps \d+, calls 0, timings \d+, comparisons \d+\n"
    assert re.fullmatch(told, done.stderr)
    assert _runs(folder / "two") == [made[1], made[0]]
    inside("store export --all --to jsonl -o all", *store, code=0)
    assert _runs(folder / "all") == made
    again = inside("store export last -o all", *store)
    assert (again.returncode, _runs(folder / "all")) == (2, made)
    assert "replace it with --force" in again.stderr
    inside("store export last -o all --force", *store, code=0)
    assert _runs(folder / "all") == made[1:]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-o", "out"], "name the runs to export, or give --all"),
        (["last", "--all", "-o", "out"], "name the runs to export, or give --all"),
        (["last"], "say in which folder with --out DIR"),
        (
            ["last", "--to", "xlsx", "-o", "out"],
            "known: mlflow, tensorboard, wandb, jsonl, parquet, csv",
        ),
        (["last", "--to", "wandb:"], "cannot log to 'wandb:'"),
        (["nothing", "-o", "out"], "no run 'nothing'"),
    ],
)
def test_wrong_use(inside: Run, folder: Path, made: list[str], arguments: Any, said: str) -> None:
    inside("store export", *arguments, "--store", "runs.db", code=2, says=said)
    assert not (folder / "out").exists()


def test_a_run_is_logged_while_it_goes_on_and_when_it_is_resumed(inside: Run, folder: Path) -> None:
    accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    done = inside(*OPTIMIZE, "--budget", "evaluations=3", "--log", "tensorboard:logs")
    run_id = json.loads(done.stdout)["run_id"]
    inside("resume", run_id, "--budget", "evaluations=5", "--store", "runs.db", code=(0, 1))
    later = inside("store export", run_id, "--to", "tensorboard:later", "--store", "runs.db")
    assert later.stderr == "1 run logged to tensorboard:later\n"
    for place in ("logs", "later"):
        read = accumulator.EventAccumulator(str(folder / place / run_id)).Reload()
        assert [one.step for one in read.Scalars("best/speedup")] == [0, 1, 2, 3, 4, 5]
        (config,) = read.Tensors("config")
        assert b"recipe/generator | landscape" in config.tensor_proto.string_val[0]
    out = inside("store export last --to tensorboard:later -o x --store runs.db")
    assert (out.returncode, "--texts and --force are for files" in out.stderr) == (2, True)
    out = inside("store export last --to tensorboard:later --force --store runs.db")
    assert (out.returncode, "--texts and --force are for files" in out.stderr) == (2, True)


def test_an_unknown_place_is_said_before_anything_is_run(inside: Run, folder: Path) -> None:
    done = inside(*OPTIMIZE, "--log", "tensorboards:logs", code=2)
    assert (
        "there is no module tensorboards here (did you mean tensorboard?); known: mlflow"
        in done.stderr
    )
    with Journal.open(folder / "runs.db") as journal:
        assert journal.run_ids() == []


def test_a_log_that_fails_is_a_warning(inside: Run, folder: Path) -> None:
    pytest.importorskip("tensorboard")
    (folder / "logs").write_text("a file, where a folder is to be")
    done = inside(*OPTIMIZE, "--budget", "evaluations=3", "--log", "tensorboard:logs", code=(0, 1))
    assert json.loads(done.stdout)["evaluations"] == 3
    assert done.stderr.count("warning: TensorBoard logs no more of run ") == 1
    assert f"maxcode store export last --to tensorboard:{folder / 'logs'}" in done.stderr


def test_a_place_that_fails_is_said_with_what_was_logged(
    inside: Run, folder: Path, made: list[str]
) -> None:
    pytest.importorskip("tensorboard")
    (folder / "logs").mkdir()
    (folder / "logs" / made[1]).write_text("a file, where a folder is to be")
    done = inside("store export --all --to tensorboard:logs --store runs.db", code=2)
    assert f"error: cannot log run {made[1]} to tensorboard:logs: " in done.stderr
    assert "(1 of 2 runs logged)" in done.stderr
    assert "fault" not in done.stderr


def test_a_run_that_never_began_is_left_out_of_all(
    inside: Run, folder: Path, made: list[str]
) -> None:
    pytest.importorskip("tensorboard")
    with Journal.open(folder / "runs.db") as journal:
        empty = begun(journal).run_id
    to = ("--to", "tensorboard:logs", "--store", "runs.db")
    done = inside("store export --all", *to, code=0)
    assert f"not logged: run {empty} stopped before its baseline was measured\n" in done.stderr
    assert done.stderr.endswith("2 runs logged to tensorboard:logs\n")
    inside("store export", empty, *to, code=2)


def test_no_password_is_kept(inside: Run, folder: Path) -> None:
    for where in ("https://me:secret@host", "postgresql://me:secret@host/db"):
        for command in ((*OPTIMIZE, "--log"), ("store", "export", "last", "--to")):
            done = inside(*command, f"mlflow:{where}", code=2, says="MLFLOW_TRACKING_PASSWORD")
            assert "secret" not in done.stderr


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("tensorboard:logs", "tensorboard:{}/logs"),
        ("wandb:project", "wandb:project"),
        ("mlflow:sqlite:///mlflow.db", "mlflow:sqlite:///{}/mlflow.db"),
        ("mlflow:sqlite:////data/mlflow.db", "mlflow:sqlite:////data/mlflow.db"),
        ("mlflow:runs", "mlflow:{}/runs"),
        ("mlflow:file:./runs", "mlflow:file://{}/runs"),
        ("mlflow:file:///data/runs", "mlflow:file:///data/runs"),
        ("mlflow:databricks", "mlflow:databricks"),
        ("mlflow:http://localhost:5000", "mlflow:http://localhost:5000"),
    ],
)
def test_a_place_is_the_same_from_whatever_folder(
    text: str, found: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert absolute_logger(text) == found.format(tmp_path)


def test_a_damaged_run_takes_down_no_list_and_no_export(
    inside: Run, folder: Path, made: list[str]
) -> None:
    store = ("--store", "runs.db")
    with closing(sqlite3.connect(folder / "runs.db")) as connection, connection:
        connection.execute(
            "UPDATE maxcode_events SET body = replace(body, '0', '1') WHERE run = ? AND seq = 3",
            (made[0],),
        )
    listed = json.loads(inside("runs --json", *store).stdout)["runs"]
    assert [(run["run_id"], run["status"]) for run in listed] == [
        (made[1], "done"),
        (made[0], "unreadable"),
    ]
    assert f"{made[0]}: event 3 is damaged" in listed[1]["reason"]
    assert "unreadable" in inside("runs", *store).stdout
    exported = inside("store export --all -o all", *store)
    assert (exported.returncode, _runs(folder / "all")) == (1, made[1:])
    assert f"left out: run {made[0]}: event 3 is damaged" in exported.stderr
    named = inside("store export", made[0], "-o", "one", *store)
    assert (named.returncode, (folder / "one").exists()) == (2, False) or not list(
        (folder / "one").iterdir()
    )

    checked = inside("store check runs.db", code=1)
    assert f"{made[0]}: event 3 is damaged" in checked.stdout
    assert "maxcode store repair runs.db --out NEW.db" in checked.stderr
    repaired = inside("store repair runs.db --out new.db", code=0)
    assert f"run {made[0]}: 3 events kept" in repaired.stdout
    inside("store check new.db", code=0)
    inside("store repair new.db --out new.db", code=2)
    statuses = [
        run["status"] for run in json.loads(inside("runs --json --store new.db").stdout)["runs"]
    ]
    assert "done" in statuses
    assert "unreadable" not in statuses
