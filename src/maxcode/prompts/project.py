"""A project as shown to models: a map of its files, important texts, and requested files.

A project does not fit into a prompt. Hot files come first, by the profile of the original; a file
too large is shown around its hot functions. A model asks for further files by lines such as ``NEED:
src/table.cpp``, and gets them in a further turn.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import PurePosixPath

from maxcode.errors import InputError
from maxcode.evaluation import HotLine, Profile
from maxcode.lang.outline import Definition, definitions
from maxcode.observation import Observation
from maxcode.program import Program
from maxcode.prompts.answers import after_thoughts
from maxcode.task import Task
from maxcode.tasks.project import FLAGS_FILE, ProjectTask
from maxcode.text import percent, plain, size
from maxcode.tree import ROOT

MAX_TURNS = 2
"""How often a model may ask for further files before it has to answer."""

NEED = "need:"
"""Prefix of tags that name the files a model has asked for."""

_MAX_FILES = 5  # that it may ask for at a time
_TEXTS, _MAP = 0.4, 0.08  # of the bytes that a prompt may have
_MAX_WHOLE = 0.5  # of the room for texts, which a file that is shown whole may take
_FENCE = 48  # bytes around a file's text, about
_NEEDED = 24_576  # bytes of files that are shown in a further turn
_HEAD = 20  # lines at the beginning of a file that is shown in parts
_AROUND = 12  # lines before and after a hot line that is in no function
_MAX_GAP = 3  # lines that are rather shown than left out
_NAMED = 160  # characters of the names of a file's functions
_NEED = re.compile(
    r"^[ \t>*`-]*NEED:[ \t]*`?(?P<path>[^\s`:*]+)(?::(?P<first>\d{1,7})(?:-(?P<last>\d{1,7}))?)?",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class ShownFile:
    """A file, or a part of it; ``part`` names the lines where it is not whole."""

    path: str
    text: str
    part: str = ""

    @property
    def language(self) -> str:
        """Its language in a fence."""
        return PurePosixPath(self.path).suffix.removeprefix(".")


@dataclass(frozen=True, slots=True)
class ProjectView:
    """A project in a prompt.

    ``editable`` and ``fixed`` are the map of files that may and may not be changed, a line for a
    file or folder; files that match ``patterns`` may be added. ``texts`` are editable files, the
    hot ones first, and ``flags`` the compiler's, None where there are none to set.
    """

    editable: tuple[str, ...]
    fixed: tuple[str, ...]
    patterns: tuple[str, ...]
    texts: tuple[ShownFile, ...]
    flags: str | None


@dataclass(frozen=True, slots=True)
class Need:
    """A file requested by a model; only lines ``first`` to ``last``, from 1; 0: the whole file."""

    path: str
    first: int = 0
    last: int = 0

    def __str__(self) -> str:
        return f"{self.path}:{self.first}-{self.last}" if self.first else self.path


def baseline_profile(observation: Observation) -> Profile | None:
    """The profile of the original where it is shown, else of the step to improve."""
    path = observation.trajectory.steps if observation.trajectory else ()
    shown = (*path, observation.step)
    profiles = [one.profile for one in shown if one.id == ROOT and one.profile]
    return profiles[0] if profiles else observation.step.profile


def hot_files(observation: Observation) -> tuple[str, ...]:
    """The files of a project that take time, by the original's profile; empty without a profile."""
    profile = baseline_profile(observation)
    if not isinstance(observation.task, ProjectTask) or profile is None:
        return ()
    known = observation.task.baseline.files
    return tuple(dict.fromkeys(line.path for line in profile.lines if line.path in known))


def room_for_texts(context: int) -> int:
    """Bytes for the files' texts in a prompt of so many bytes."""
    return int(_TEXTS * context)


def project_view(task: ProjectTask, profile: Profile | None, context: int) -> ProjectView:
    """The view of a project for a prompt of at most ``context`` bytes."""
    hot = defaultdict[str, list[HotLine]](list)
    for line in profile.lines if profile else ():
        hot[line.path].append(line)
    texts = tuple(_texts(task, hot, room_for_texts(context)))
    whole = {one.path for one in texts if not one.part}
    room = int(_MAP * context)
    rows = {path: _row(task, path, hot.get(path, ()), whole) for path in task.sources}
    sizes = dict(task.listing)
    others = {path: f"{path} ({size(sizes[path])})" for path in sizes if path not in rows}
    kept = {path for path in rows if hot.get(path)}
    return ProjectView(
        tuple(_folded(rows, kept, room)),
        tuple(_folded(others, set(), room // 2)),
        tuple(one for one in task.patterns.editable if one.removeprefix("!") not in sizes),
        texts,
        task.baseline.files.get(FLAGS_FILE),
    )


def _texts(
    task: ProjectTask, hot: Mapping[str, Sequence[HotLine]], room: int
) -> Iterator[ShownFile]:
    """The hot files first, then the others, the smallest first, as long as there is room."""
    files = task.baseline.files
    heat = {path: sum(line.share for line in hot.get(path, ())) for path in files}
    order = sorted(task.sources, key=lambda path: (-heat[path], len(files[path]), path))
    for path in order:
        text = files[path]
        taken = len(text.encode()) + len(path.encode()) + _FENCE
        if taken <= (room if len(order) == 1 else _MAX_WHOLE * room):
            yield ShownFile(path, text)
            room -= taken
        elif heat[path] > 0 and (shown := _excerpt(path, text, hot[path], room // 2)):
            yield ShownFile(path, shown, f"{text.count(chr(10)) + 1:,} lines, shown in parts")
            room -= len(shown.encode()) + len(path.encode()) + _FENCE


def _excerpt(path: str, text: str, hot: Sequence[HotLine], room: int) -> str:
    """The beginning of a file and its hot functions, the hottest first, as far as there is room."""
    lines = text.split("\n")
    functions = definitions(path, text)
    kept: set[int] = set()

    def add(span: range) -> bool:
        new = {number for number in span if 1 <= number <= len(lines)} - kept
        if sum(len(lines[number - 1].encode()) + 1 for number in (*kept, *new)) > room:
            return False
        kept.update(new)
        return True

    add(range(1, _HEAD + 1))
    for line in sorted(hot, key=lambda one: -one.share):
        around = range(line.line - _AROUND, line.line + _AROUND + 1)
        function = _function_at(functions, line.line)
        if function is None or not add(range(function.first, function.last + 1)):
            add(around)
    return _with_gaps(lines, kept)


def _with_gaps(lines: Sequence[str], kept: set[int]) -> str:
    """The kept lines, with a note in the place of the others."""
    shown: list[str] = []
    for whole, numbers in groupby(range(1, len(lines) + 1), key=kept.__contains__):
        run = list(numbers)
        if whole or len(run) <= _MAX_GAP:
            shown += lines[run[0] - 1 : run[-1]]
        else:
            shown.append(f"... lines {run[0]} to {run[-1]} are not shown ...")
    return "\n".join(shown) + "\n"


def _function_at(functions: Sequence[Definition], line: int) -> Definition | None:
    """The innermost function around a line."""
    around = [one for one in functions if one.first <= line <= one.last]
    return min(around, key=lambda one: one.last - one.first, default=None)


def _row(task: ProjectTask, path: str, hot: Sequence[HotLine], whole: set[str]) -> str:
    """A line of the map: a file with its size, and its share of the time or its definitions."""
    text = task.baseline.files[path]
    row = f"{path} ({size(len(text.encode()))})"
    if hot:
        shares: dict[str, float] = defaultdict(float)
        for line in hot:
            shares[line.function or f"line {line.line}"] += line.share
        ranked = sorted(shares, key=lambda name: -shares[name])[:4]
        functions = ", ".join(f"{name} {percent(shares[name])}" for name in ranked)
        return f"{row}: {percent(min(1.0, sum(shares.values())))} of the time, {functions}"
    if path in whole:
        return row
    names = ", ".join(dict.fromkeys(one.name for one in definitions(path, text)))
    names = names if len(names) <= _NAMED else f"{names[:_NAMED].rpartition(', ')[0]}, ..."
    return f"{row}: {names}" if names else row


def _folded(rows: Mapping[str, str], kept: set[str], room: int) -> Iterator[str]:
    """The rows, or where they do not fit those ``kept``, with the number of others by folder."""
    if sum(len(row.encode()) + 3 for row in rows.values()) <= room:
        yield from map(plain, rows.values())
        return
    yield from (plain(rows[path]) for path in rows if path in kept)
    for depth in (2, 1, 0):
        parts = (PurePosixPath(path).parts[:-1][:depth] for path in rows if path not in kept)
        folders = Counter("/".join(one) or "." for one in parts)
        found = [f"{plain(folder)}/ ({count} files)" for folder, count in folders.items()]
        if depth == 0 or sum(len(row.encode()) + 3 for row in found) <= room:
            yield from sorted(found)
            return


def needed(text: str) -> list[Need]:
    """The requested files of an answer, each once, in order."""
    found = [
        Need(one["path"], int(one["first"] or 0), int(one["last"] or one["first"] or 0))
        for one in _NEED.finditer(text)
    ]
    return list(dict.fromkeys(found))


def need_tags(answer: str) -> list[str]:
    """Tags of the files requested in an answer."""
    return [f"{NEED}{one}" for one in needed(after_thoughts(answer))[:_MAX_FILES]]


def files_before(task: Task, program: Program, observation: Observation) -> list[ShownFile]:
    """Files of a project that earlier answers requested, the latest requests first.

    Without files that the program changes, which are shown with it.
    """
    if not isinstance(task, ProjectTask):
        return []
    tags = [tag for step in observation.history for tag in step.tags if tag.startswith(NEED)]
    needs = needed(
        "\n".join(f"NEED: {tag.removeprefix(NEED)}" for tag in dict.fromkeys(tags[::-1]))
    )
    changed = task.baseline.changed(program)
    return files_for(task, program, [one for one in needs if one.path not in changed])[0]


def files_for(
    task: ProjectTask, program: Program, needs: Sequence[Need]
) -> tuple[list[ShownFile], list[str]]:
    """The requested files of ``program``, and a message for each unavailable file."""
    shown: list[ShownFile] = []
    problems: list[str] = []
    room = _NEEDED
    for need in needs[:_MAX_FILES]:
        path = plain(need.path)
        try:
            text = program.files.get(need.path)
            lines = (task.read(need.path) if text is None else text).split("\n")
        except (InputError, OSError) as error:
            problems.append(f"{path}: {error}"[:300])
            continue
        first = min(max(need.first, 1), len(lines))
        last = min(need.last or len(lines), len(lines))
        chosen: list[str] = []
        for line in lines[first - 1 : last]:
            room -= len(line.encode()) + 1
            if room < 0:
                break
            chosen.append(line)
        if not chosen:
            problems.append(f"{path}: there is no room for it in this turn")
            continue
        until = first + len(chosen) - 1
        all_of_it = len(chosen) == len(lines)
        part = "" if all_of_it else f"lines {first} to {until} of {len(lines):,}"
        shown.append(ShownFile(path, "\n".join(chosen) + "\n", part))
    if len(needs) > _MAX_FILES:
        problems.append(f"at most {_MAX_FILES} files can be shown at a time")
    return shown, problems
