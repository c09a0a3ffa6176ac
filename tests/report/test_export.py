"""Runs as tables: nothing lost, nothing made up, and the same in every format."""

import csv
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests._runs import begun

from maxcode.budget import Answer, Call, Cost
from maxcode.errors import InputError, JournalError
from maxcode.interfaces import Generator, Proposal
from maxcode.journal.journal import Journal, RunLog
from maxcode.journal.state import RunState
from maxcode.observation import Observation
from maxcode.options import Options
from maxcode.policies.best_of_n import BestOfN
from maxcode.report.tables import FORMATS, TABLES, columns, export
from maxcode.search.search import Search
from maxcode.text import plain, unseen

pytestmark = pytest.mark.slow

HOSTILE = 'a "quoted", comma; \r\n line \x00 nul \u2028 é 🚀'
ORPHAN = "half a pair: \ud83d"

Table = list[dict[str, Any]]


class Hostile(Generator):
    """Keeps answers and proposes numbers, in words that are hard to write down."""

    def propose(self, observation: Observation, n: int) -> list[Proposal]:
        proposals = []
        for sample in range(n):
            call = Call("somebody:x", "ab" * 32, sample, input=5, output=sample + 1, dollars=0.5)
            observation.transcript.keep(Answer(f"{sample} {ORPHAN}", call), HOSTILE)
            program = observation.task.baseline.with_code(f"{sample + 2}.0")
            tags = ("x,y", '"z"')
            proposals.append(Proposal(program, HOSTILE, tags=tags, cost=call.cost, call=call))
        return proposals

    def cost_ceiling(self, observation: Observation, n: int) -> Cost:
        return Cost(tokens=100 * n, dollars=n)


@pytest.fixture
def worded(toy: Callable[..., Search]) -> RunLog:
    """A run of four candidates with hostile texts everywhere."""
    search = toy(generator=Hostile(), policy=BestOfN(batch=2, n=4), options=Options(seed=2**62))
    search.run()
    return search.state.log


def read(folder: Path, table: str, suffix: str) -> Table:
    """A table as it is in a file, with values of the types that its schema says."""
    path = folder / f"{table}.{suffix}"
    if suffix == "jsonl":
        return [json.loads(line) for line in path.read_text("utf-8").split("\n")[:-1]]
    kinds: dict[str, Callable[[str], Any]] = {**columns(TABLES[table])}
    kinds |= {name: lambda text: text == "true" for name, kind in kinds.items() if kind is bool}
    with path.open(encoding="utf-8", newline="") as file:
        return [
            {name: kinds[name](text) if text else None for name, text in row.items()}
            for row in csv.DictReader(file)
        ]


def in_csv(row: dict[str, Any]) -> dict[str, Any]:
    """With texts as people are shown them, none of which a spreadsheet computes."""

    def shown(one: Any) -> Any:
        if not isinstance(one, str):
            return one
        return f"'{plain(one)}" if one[0] in "=+-@\t" else plain(one)

    return {name: shown(one) for name, one in row.items()}


def test_every_format_holds_the_same(tmp_path: Path, worded: RunLog, played: RunLog) -> None:
    for suffix in FORMATS:
        counts = export([worded, played], tmp_path, suffix, texts=True)
        assert counts == {table: len(read(tmp_path, table, suffix)) for table in TABLES}
    for table in TABLES:
        lines = read(tmp_path, table, "jsonl")
        assert lines
        assert [in_csv(row) for row in lines] == read(tmp_path, table, "csv")
        for suffix in ("jsonl", "csv"):
            written = (tmp_path / f"{table}.{suffix}").read_bytes().decode()
            assert not unseen(written)


def test_steps_are_those_of_the_tree(tmp_path: Path, played: RunLog) -> None:
    export([played], tmp_path)
    tree, steps = RunState.load(played).tree, read(tmp_path, "steps", "jsonl")
    assert [row["step"] for row in steps] == [step.id for step in tree]
    for row, step in zip(steps, tree, strict=True):
        assert row["status"] == step.evaluation.status
        assert (row["parent"], row["reward"]) == (step.parent, step.reward)
        assert (row["duplicate_of"], row["digest"]) == (step.duplicate_of, step.program.digest)
        assert row["estimate"] == (step.value.expected if step.value else None)
        assert row["critique"] == (step.critique.text if step.critique else None)
    assert [row["step"] for row in steps if row["best"]] == [tree.best.id]
    path = {step.id for step in tree.path(tree.best.id).steps}
    assert {row["step"] for row in steps if row["on_path"]} == path
    evaluations = [row["evaluation"] for row in steps if row["evaluation"] is not None]
    assert evaluations == list(range(1, 61))
    assert len(steps) - 1 > 60  # duplicates and what was no program take none
    moments = [row["committed"] for row in steps]
    assert moments == sorted(moments)


def test_texts_come_on_request_and_as_they_were(tmp_path: Path, worded: RunLog) -> None:
    export([worded], tmp_path, texts=True)
    calls = read(tmp_path, "calls", "jsonl")
    assert {row["prompt"] for row in calls} == {HOSTILE}
    assert all(row["answer"].endswith("half a pair: \ufffd") for row in calls)
    candidates = read(tmp_path, "steps", "jsonl")[1:]
    assert [row["summary"] for row in candidates] == [HOSTILE] * 4
    assert [json.loads(row["tags"]) for row in candidates] == [["x,y", '"z"']] * 4
    assert [row["code"] for row in candidates] == ["2.0", "3.0"] * 2
    assert read(tmp_path, "runs", "jsonl")[0]["seed"] == 2**62


def test_a_run_that_was_cut_off_before_anything_happened(tmp_path: Path, journal: Journal) -> None:
    export([begun(journal)], tmp_path)
    (row,) = read(tmp_path, "runs", "jsonl")
    assert (row["status"], row["task"], row["speedup"], row["candidates"]) == (
        "running",
        None,
        None,
        0,
    )
    assert read(tmp_path, "steps", "jsonl") == []


def test_nothing_appears_when_a_run_cannot_be_read(tmp_path: Path, played: RunLog) -> None:
    def logs() -> Iterator[RunLog]:
        yield played
        raise JournalError("the second is broken")

    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(JournalError):
        export(logs(), tmp_path)
    assert [path.name for path in tmp_path.glob("*.txt")] == ["notes.txt"]
    assert not list(tmp_path.glob("*.jsonl"))
    assert not list(tmp_path.glob(".export*"))


def test_a_place_that_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="is a file; name a folder"):
        export([], tmp_path / "file")
    with pytest.raises(InputError, match="cannot write"):
        export([], tmp_path / "file" / "below")
    with pytest.raises(InputError, match=r"unknown format 'xlsx'; known: jsonl, csv"):
        export([], tmp_path, "xlsx")


def test_the_page_names_exactly_the_columns_there_are() -> None:
    page = (Path(__file__).parents[2] / "docs" / "manual" / "export.md").read_text()
    for table, row in TABLES.items():
        section = re.split(rf"^### {table}$", page, flags=re.MULTILINE)[1]
        section = re.split("^##", section, flags=re.MULTILINE)[0]
        listed = section.partition("Columns:")[2].partition("\n\n")[0]
        assert re.findall(r"`(\w+)`", listed) == list(columns(row))
    assert re.findall(r"^### (\w+)$", page, re.MULTILINE) == list(TABLES)
