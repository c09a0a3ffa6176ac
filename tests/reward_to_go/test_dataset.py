import json
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from pydantic import JsonValue

from maxcode.errors import InputError, JournalError
from maxcode.journal.journal import Journal, RunLog
from maxcode.reward_to_go.building import build
from maxcode.reward_to_go.dataset import PARTS, Card, Dataset
from maxcode.reward_to_go.decisions import decisions
from maxcode.reward_to_go.objective import Bins, Objective
from maxcode.reward_to_go.rows import Row, rows

pytestmark = pytest.mark.slow

Logs = Callable[[], Iterator[RunLog]]
OBJECTIVE = Objective(Bins((0.0, 0.9, 1.2, 2.0)))


@pytest.fixture(scope="module")
def made(family: Path, tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    """A dataset of all runs of the family."""
    out = tmp_path_factory.mktemp("made") / "out"
    with Journal.open(family, create=False) as journal:
        found = [journal.run(run_id) for run_id in reversed(journal.run_ids())]
        build(out, ["runs.db"], found, OBJECTIVE)
    return Dataset(out)


@pytest.fixture
def few(logs: Logs) -> Logs:
    """Gives one run on each landscape of the family."""
    return lambda: islice(logs(), None, None, 4)


def everything(dataset: Dataset) -> list[Row]:
    return [row for part in PARTS for row in dataset.rows(part)]


def name(number: int) -> str:
    seed = f"seed={number}," if number else ""
    return f"landscape:{seed}size=8,kinship=0.9,family=1"


def test_no_task_is_on_both_sides_and_no_row_is_lost(made: Dataset, logs: Logs) -> None:
    train, held_out = ({row.task_digest for row in made.rows(part)} for part in PARTS)
    assert (len(train), len(held_out)) == (4, 1)
    assert not train & held_out
    assert {task.digest for task in made.card.part("train")} == train
    wanted = [row for log in logs() for one in decisions(log) for row in rows(one, OBJECTIVE)]
    found = everything(made)
    assert sorted(found, key=str) == sorted(wanted, key=str)
    own = [row for row in wanted if row.task_digest in train]
    assert list(made.rows("train")) == own  # in the order of runs


def test_the_card_tells_what_is_there(made: Dataset) -> None:
    card = made.card
    assert (card.empty_runs, card.stores) == (0, ("runs.db",))
    for part in PARTS:
        told, found = card.part(part), list(made.rows(part))
        assert sum(task.rows for task in told) == len(found)
        assert sum(task.runs for task in told) == len({row.run for row in found})
        shares = np.mean([OBJECTIVE.bins.shares(row.targets) for row in found], axis=0)
        assert card.balance[part] == pytest.approx(shares)
    short = card.trained_on
    assert (short.runs, short.rows) == (16, len(list(made.rows("train"))))
    assert {*short.tasks, *short.held_out} == {name(i) for i in range(5)}


def test_one_task_cannot_be_split(tmp_path: Path, few: Logs, planned: RunLog) -> None:
    with pytest.raises(InputError, match="only one task, toy with candidates"):
        build(tmp_path / "out", ["runs.db"], [planned], OBJECTIVE)
    with pytest.raises(InputError, match="no task with candidates"):
        build(tmp_path / "out", ["runs.db"], [], OBJECTIVE)
    assert not (tmp_path / "out").exists()
    assert not list(tmp_path.glob(".out*"))


def broken(few: Logs) -> Iterator[RunLog]:
    found = few()
    for _ in range(3):
        yield next(found)
    raise JournalError("the disk is gone")


def test_what_fails_leaves_nothing_and_keeps_what_was_there(tmp_path: Path, few: Logs) -> None:
    with pytest.raises(JournalError, match="the disk is gone"):
        build(tmp_path / "out", ["runs.db"], broken(few), OBJECTIVE)
    assert list(tmp_path.iterdir()) == []
    card = build(tmp_path / "out", ["runs.db"], few(), OBJECTIVE)
    with pytest.raises(JournalError, match="the disk is gone"):
        build(tmp_path / "out", ["runs.db"], broken(few), OBJECTIVE, force=True)
    assert Dataset(tmp_path / "out").card == card
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_an_earlier_dataset_is_replaced_only_by_force(tmp_path: Path, few: Logs) -> None:
    out = tmp_path / "out"
    build(out, ["runs.db"], few(), OBJECTIVE)
    with pytest.raises(InputError, match="holds a dataset already; --force replaces it"):
        build(out, ["other.db"], few(), OBJECTIVE)
    build(out, ["other.db"], few(), OBJECTIVE, force=True)
    assert Dataset(out).card.stores == ("other.db",)
    (out / "card.json").unlink()
    with pytest.raises(InputError, match=r"holds no dataset; give another"):
        build(out, ["runs.db"], few(), OBJECTIVE, force=True)


def test_folders_that_hold_no_dataset(tmp_path: Path, few: Logs) -> None:
    with pytest.raises(InputError, match=r"there is no card.json; make one with"):
        Dataset(tmp_path)
    build(tmp_path / "out", ["runs.db"], few(), OBJECTIVE)
    path = tmp_path / "out" / "held_out.jsonl"
    told: dict[str, JsonValue] = json.loads(path.read_text().splitlines()[0])
    path.write_text(json.dumps({**told, "u": "much"}) + "\n")
    with pytest.raises(InputError, match=r"held_out.jsonl:1: u: Input should be"):
        list(Dataset(tmp_path / "out").rows("held_out"))
    path.unlink()
    with pytest.raises(InputError, match=r"cannot read .*held_out.jsonl: No such file"):
        list(Dataset(tmp_path / "out").rows("held_out"))
    card = Card.model_validate_json((tmp_path / "out" / "card.json").read_text())
    (tmp_path / "out" / "card.json").write_text(card.model_dump_json(exclude={"gamma"}))
    with pytest.raises(InputError, match=r"gamma: Field required; another version"):
        Dataset(tmp_path / "out")
