"""Lessons: which changes gained in earlier runs and which did not, as generators are shown them.

A book of lessons is a JSON file. Its texts were written by models and by rewrites of other runs, so
nothing in them is obeyed: they are cut, made visible, and shown in a fence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import exp, fsum, log
from pathlib import Path
from statistics import median
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from maxcode.errors import InputError
from maxcode.files import read_text, write_text
from maxcode.task import Task
from maxcode.text import counted, cut

FORMAT = 1
GAINED_SHOWN, FAILED_SHOWN = 8, 3
"""How many lessons a prompt shows at most: of changes that gained, and of others."""

_TEXT = 160  # characters
_ALIKE = 0.6  # share of common words from which on two texts say the same
_UNPLACED = 0.5  # how near a lesson is that replaced nothing which could be looked for
_REPLACED = 12  # words that are kept of what a change replaced
_MOST = 1000  # lessons of a book
_WORD = re.compile(r"\w+")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{2,31}")

_Count = Annotated[int, Field(ge=0)]
_Name = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]{2,31}$")]


class _Kept(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


@dataclass(frozen=True)
class Tried:
    """What came of one step: ``ratio`` is its speedup over that of the step it grew from.

    ``replaced`` are names in the lines that it changed, and ``bottleneck`` that of its parent.
    """

    text: str
    gained: bool
    failed: bool
    ratio: float = 1.0
    replaced: frozenset[str] = frozenset()
    bottleneck: str = ""


class Evidence(_Kept):
    """How often a change was ``tried`` in a run, on which task, and what came of it.

    ``baseline`` is the digest of the task's program; ``ratio`` is the median of the speedups of
    those that ``gained`` over the step that each grew from.
    """

    run: str
    task: str
    baseline: str
    tried: Annotated[int, Field(ge=1)]
    gained: _Count
    failed: _Count
    ratio: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 1.0
    replaced: tuple[_Name, ...] = ()
    bottlenecks: tuple[str, ...] = ()


class Lesson(_Kept):
    """A change in words, for programs in a language, with its evidence.

    One that was ``removed`` stays without evidence, so that it is not learned again.
    """

    id: Annotated[str, Field(pattern=r"^[0-9a-f]{8}$")]
    language: str
    text: Annotated[str, Field(min_length=1, max_length=4 * _TEXT)]
    evidence: tuple[Evidence, ...] = ()
    removed: bool = False

    def nearness(self, task: Task, evidence: Sequence[Evidence]) -> float:
        """The share of what the change replaced where it gained that the task's program has."""
        replaced = {name for one in evidence if one.gained for name in one.replaced}
        if not replaced:
            return _UNPLACED
        known = names("\n".join(task.baseline.files.values()))
        return len(replaced & known) / len(replaced)


class ShownLessons(_Kept):
    """What is shown of a book for one task: texts with their evidence, both in words.

    A run keeps it, so that it is shown the same when it is resumed.
    """

    gained: tuple[tuple[str, str], ...] = ()
    failed: tuple[tuple[str, str], ...] = ()

    @property
    def identity(self) -> str:
        """A digest of what is shown."""
        return _digest(self.model_dump_json())

    @property
    def text(self) -> str:
        """A line for each; empty where there is none."""
        parts = (("Gained:", self.gained), ("Did not gain:", self.failed))
        lines = [
            line
            for title, found in parts
            if found
            for line in (title, *(f"- {cut(a, _TEXT)}: {cut(b, _TEXT)}" for a, b in found))
        ]
        return "\n".join(lines)

    def of(self, task: Task) -> ShownLessons:  # noqa: ARG002 - chosen already
        """Itself."""
        return self


class LessonBook(_Kept):
    """Lessons of any number of runs and tasks; immutable."""

    format: int = FORMAT
    lessons: Annotated[tuple[Lesson, ...], Field(max_length=_MOST)] = ()

    @classmethod
    def read(cls, path: Path | str) -> LessonBook:
        """The book in a file. Raises :class:`InputError` for one that is none."""
        try:
            book = cls.model_validate_json(read_text(Path(path)))
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            place = ".".join(map(str, first["loc"])) or "the file"
            raise InputError(f"{path} is no file of lessons: {place}: {first['msg']}") from error
        if book.format != FORMAT:
            raise InputError(f"{path} has format {book.format}, and this version reads {FORMAT}")
        return book

    def write(self, path: Path | str) -> None:
        """Write all of it or nothing. Raises :class:`InputError` where that cannot be."""
        write_text(Path(path), self.model_dump_json(indent=1) + "\n")

    @property
    def identity(self) -> str:
        """A digest of all of it."""
        return _digest(self.model_dump_json())

    def with_run(
        self, run: str, task: str, language: str, baseline: str, tried: Iterable[Tried]
    ) -> LessonBook:
        """With what a run found out; what was known of the same run is replaced."""
        lessons = [
            one.model_copy(update={"evidence": tuple(e for e in one.evidence if e.run != run)})
            for one in self.lessons
        ]
        known = {one.id: frozenset(_words(one.text)) for one in lessons if one.language == language}
        by_lesson: dict[str, list[Tried]] = {}
        texts: dict[str, str] = {}
        for one in tried:
            text = cut(one.text, _TEXT)
            if not (words := frozenset(_words(text))):
                continue
            near = max(known, key=lambda key: _likeness(known[key], words), default="")
            if not near or _likeness(known[near], words) < _ALIKE:
                near = _digest(f"{language}\n{text}")[:8]
                known[near], texts[near] = words, text
            by_lesson.setdefault(near, []).append(one)
        lessons += [Lesson(id=key, language=language, text=text) for key, text in texts.items()]
        merged = []
        for lesson in lessons:
            if (found := by_lesson.get(lesson.id)) and not lesson.removed:
                evidence = (*lesson.evidence, _evidence(run, task, baseline, found))
                merged.append(lesson.model_copy(update={"evidence": evidence}))
            elif lesson.evidence or lesson.removed:
                merged.append(lesson)
        by_weight = sorted(merged, key=lambda one: (not one.removed, -len(one.evidence)))
        kept = {one.id for one in by_weight[:_MOST]}
        return LessonBook(lessons=tuple(one for one in merged if one.id in kept))

    def without(self, ids: Iterable[str]) -> LessonBook:
        """With these lessons removed for good. Raises :class:`InputError` for unknown ids."""
        gone, known = set(ids), {one.id for one in self.lessons if not one.removed}
        if unknown := gone - known:
            raise InputError(f"there is no lesson {min(unknown)}; ids are the first column")
        removed = {"removed": True, "evidence": ()}
        return LessonBook(
            lessons=tuple(
                one.model_copy(update=removed) if one.id in gone else one for one in self.lessons
            )
        )

    def of(self, task: Task) -> ShownLessons:
        """What to show for a task: what gained on the tasks most like it first.

        Only lessons for its language count, and only what other tasks say of them: none of its own
        name or with its program. A change counts by the share of tasks on which it gained (Laplace:
        one more of each), by the mean of its gains there, and by how much of what it replaced the
        task's program has. What gained on none of two tasks or more is shown, too.
        """
        gained: list[tuple[float, Lesson, _Tally]] = []
        failed: list[tuple[float, Lesson, _Tally]] = []
        for lesson in self.lessons:
            evidence = [
                one
                for one in lesson.evidence
                if one.task != task.name and one.baseline != task.baseline.digest
            ]
            if not evidence or lesson.language != task.language:
                continue
            tally, near = _Tally.of(evidence), lesson.nearness(task, evidence)
            if tally.ratios and near:
                share = (len(tally.ratios) + 1) / (tally.tasks + 2)
                gained.append((near * share * log(tally.mean), lesson, tally))
            elif not tally.ratios and tally.tasks > 1:
                failed.append((tally.tasks, lesson, tally))
        return ShownLessons(
            gained=_first(gained, GAINED_SHOWN), failed=_first(failed, FAILED_SHOWN)
        )


@dataclass(frozen=True)
class _Tally:
    """Evidence by task: ``ratios`` of those on which it gained."""

    tasks: int
    ratios: tuple[float, ...]
    failed: int
    bottlenecks: tuple[str, ...]

    @classmethod
    def of(cls, evidence: Sequence[Evidence]) -> _Tally:
        by_task: dict[str, list[Evidence]] = {}
        for one in evidence:
            by_task.setdefault(one.baseline, []).append(one)
        gains = [[one.ratio for one in found if one.gained] for found in by_task.values()]
        failed = sum(all(one.failed == one.tried for one in found) for found in by_task.values())
        kinds = dict.fromkeys(kind for one in evidence if one.gained for kind in one.bottlenecks)
        ratios = tuple(sorted(median(one) for one in gains if one))
        return cls(len(by_task), ratios, failed, tuple(kinds))

    @property
    def mean(self) -> float:
        """The geometric mean of the gains."""
        return exp(fsum(map(log, self.ratios)) / len(self.ratios))

    @property
    def text(self) -> str:
        """``gained on 7 of 9 tasks, 1.30x to 4.00x; failed on 1``."""
        of = counted(self.tasks, "task")
        said = f"gained on none of {of}"
        if self.ratios:
            low, high = self.ratios[0], self.ratios[-1]
            times = f"{low:.2f}x" if low == high else f"{low:.2f}x to {high:.2f}x"
            said = f"gained on {len(self.ratios)} of {of}, {times}"
        said += f"; failed on {self.failed}" if self.failed else ""
        return f"{said}; bottleneck: {', '.join(self.bottlenecks)}" if self.bottlenecks else said


def summarise(lesson: Lesson) -> str:
    """The evidence of a lesson, of all tasks, in words."""
    return _Tally.of(lesson.evidence).text if lesson.evidence else "removed"


def names(code: str) -> frozenset[str]:
    """The names in a text of at least three letters."""
    return frozenset(_NAME.findall(code))


def _first(found: list[tuple[float, Lesson, _Tally]], most: int) -> tuple[tuple[str, str], ...]:
    found.sort(key=lambda one: (-one[0], one[1].id))
    return tuple((lesson.text, tally.text) for _, lesson, tally in found[:most])


def _evidence(run: str, task: str, baseline: str, tried: Sequence[Tried]) -> Evidence:
    gains = [one for one in tried if one.gained]
    common = frozenset.intersection(*(one.replaced for one in gains)) if gains else frozenset()
    return Evidence(
        run=run,
        task=task,
        baseline=baseline,
        tried=len(tried),
        gained=len(gains),
        failed=sum(one.failed for one in tried),
        ratio=median(one.ratio for one in gains) if gains else 1.0,
        replaced=tuple(sorted(name for name in common if _NAME.fullmatch(name)))[:_REPLACED],
        bottlenecks=tuple(sorted({one.bottleneck for one in gains} - {""})),
    )


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _likeness(a: frozenset[str], b: frozenset[str]) -> float:
    """The share of words that two texts have in common (Jaccard)."""
    return len(a & b) / len(a | b)


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
