"""RunDocument: a run as shown in a report.

Foreign texts hold any characters of markup: pages must escape them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import unified_diff
from io import StringIO

from maxcode.evaluation import HunkWorth, Reason, TimedTest
from maxcode.program import Program
from maxcode.report.closing import benchmarks, patch
from maxcode.report.estimates import estimate_facts
from maxcode.report.history import History, Point
from maxcode.report.listing import address, standing
from maxcode.report.rows import RunRow, StepRow, run_row, settings, step_rows
from maxcode.search.changes import hunks
from maxcode.search.result import Result
from maxcode.search.summary import ending, hunk_worth, model_usage, reduction, why_no_worth
from maxcode.sources import to_bytes
from maxcode.text import cut, plain
from maxcode.tree import ROOT

_SUMMARY = 200  # characters in the list of steps


@dataclass(frozen=True, slots=True)
class ChangeLine:
    """A hunk of the diff from the baseline to the best program, and its worth in words.

    ``old`` and ``now`` are the first and the last line, from 1, in the baseline and in the best
    program; of an empty range the last comes before the first. ``code`` is the hunk as a diff.
    ``worth`` is empty if unknown. ``measured``: the program without the hunk was tried.
    """

    path: str
    old: tuple[int, int]
    now: tuple[int, int]
    code: str
    worth: str = ""
    measured: bool = False

    @property
    def place(self) -> str:
        """Its lines in the best program, or in the baseline where they are removed."""
        first, last = self.now if self.now[0] <= self.now[1] else self.old
        return f"line {first}" if first == last else f"lines {first} to {last}"


@dataclass(frozen=True, slots=True)
class RunDocument:
    """A run as shown in a report.

    ``head`` is the run, and ``steps`` are its steps, as rows of the tables (docs/manual/export.md),
    with texts cut to a line and the status ``killed`` for a run whose process is gone. ``result``
    is None before the baseline was measured. ``facts`` are further facts under their names.
    ``benchmarks`` are those of a project with several, ``tests`` the separately timed tests of
    other programs, each of the best and of the baseline.
    ``changes`` are the hunks of the best program with their worth; ``no_worth`` is the reason if it
    is unknown. ``patch`` is the change as ``git apply`` reads it; empty where text cannot hold it.
    ``address`` names the run in commands.
    """

    head: RunRow
    result: Result | None
    facts: tuple[tuple[str, str], ...]
    points: tuple[Point, ...]
    steps: tuple[StepRow, ...]
    benchmarks: tuple[TimedTest, ...] = ()
    tests: tuple[TimedTest, ...] = ()
    changes: tuple[ChangeLine, ...] = ()
    no_worth: str = ""
    patch: str = ""
    address: str = ""

    @classmethod
    def of(cls, history: History) -> RunDocument:
        """The document of a run, finished or not."""
        state, row = history.state, run_row(history)
        status = standing(state)
        result = Result.of(state) if state.has_tree else None
        found = benchmarks(result) if result else []
        head = replace(
            row,
            task=cut(row.task or row.run, _SUMMARY),
            status=status,
            reason=ending(status, row.reason or ""),
        )
        return cls(
            head=head,
            result=result,
            facts=(*_facts(result), *estimate_facts(state), *_settings(row)),
            points=tuple(history.points),
            steps=tuple(map(_cut, step_rows(history))),
            benchmarks=tuple(found),
            tests=tuple(_tests(result)) if result and not found else (),
            changes=tuple(_changes(result)) if result and result.improved else (),
            no_worth=_no_worth(history, result) if result else "",
            address=address(history.log),
            patch=_patch(result) if result and result.improved else "",
        )


def _facts(result: Result | None) -> list[tuple[str, str]]:
    if result is None:
        return []
    own = result.further if result.improved else []
    return [*own, *reduction(result.tree, result.reduced), *model_usage(result.usage)]


def _settings(row: RunRow) -> list[tuple[str, str]]:
    """Options of the command that began the run."""
    given = [f"{name}={value}" for name, value in settings(row).items()]
    return [("settings", ", ".join(given))] if given else []


def _cut(row: StepRow) -> StepRow:
    summary = row.summary or ("the baseline" if row.step == ROOT else "")
    return replace(row, summary=cut(summary, _SUMMARY), tags=cut(row.tags or "", _SUMMARY))


def _tests(result: Result) -> Sequence[TimedTest]:
    """Separately timed tests, by the last comparison with the baseline, else as judged."""
    verdict, known = result.best.evaluation, result.tree.confirmation(result.best.id)
    return (known and known.by_test) or (() if verdict.against else verdict.by_test)


def _changes(result: Result) -> Iterator[ChangeLine]:
    before, after = result.tree[ROOT].program, result.program
    worths = {(one.path, one.header): one for one in result.hunks}
    for path, header in worths or [(one.path, one.header) for one in hunks(before, after)]:
        old, now = map(_lines_of, header.strip("@ ").split(" "))
        sides = (_part(before, path, old), _part(after, path, now))
        code = "\n".join(unified_diff(*sides, n=max(map(len, sides)), lineterm="")).split("\n", 3)
        worth, measured = _worth(worths.get((path, header)))
        yield ChangeLine(plain(path), old, now, f"{code[-1]}\n", worth, measured)


def _part(program: Program, path: str, place: tuple[int, int]) -> list[str]:
    """Lines of a file, without their ends."""
    lines = StringIO(program.files.get(path, "")).readlines()[max(0, place[0] - 1) : place[1]]
    return plain("".join(lines)).splitlines()


def _worth(hunk: HunkWorth | None) -> tuple[str, bool]:
    """Worth of a hunk in words, and whether the program without it was tried."""
    if hunk is None:
        return "", False
    words = plain(hunk_worth(hunk))
    return f"worth {words}" if hunk.worth else words, hunk.reason is not Reason.BUDGET


def _patch(result: Result) -> str:
    text = patch(result)
    return text if to_bytes(text) == text.encode() else ""


def _lines_of(place: str) -> tuple[int, int]:
    """First and last line of ``-3`` or ``+3,2``."""
    first, _, count = place[1:].partition(",")
    return int(first), int(first) + int(count or 1) - 1


def _no_worth(history: History, result: Result) -> str:
    if result.hunks or not result.improved:
        return ""
    command = f"maxcode resume {address(history.log)} --minimise"
    return plain(why_no_worth(command, result.tree, result.best))
