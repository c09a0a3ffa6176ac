"""SimilarPairs: what made programs like this one faster, from a training file."""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from hashlib import sha256
from itertools import islice
from pathlib import Path
from sys import intern

from maxcode.errors import InputError, TaskError, ToolError
from maxcode.program import Program
from maxcode.task import Task
from maxcode.tasks.kernelbench import Notes
from maxcode.tasks.pie import Pair, read_pairs

_TOKEN = re.compile(
    r"//[^\n]*|/\*.*?\*/"  # comments, which are no group and so no tokens
    r'|("(?:\\.|[^"\\\n])*"'
    r"|'(?:\\.|[^'\\\n])+'|[A-Za-z_]\w*|\d(?:'?[\w.])*"
    r"|<<=?|>>=?|->|::|\+\+|--|&&|\|\||[-+*/%&|^=!<>]=|[^\s\w])",
    re.DOTALL,
)


class SimilarPairs:
    """The ``k`` pairs of a training file whose slow programs are most like a task's baseline.

    The file is in PIE's format (see :func:`~maxcode.tasks.pie.read_pairs`). Programs are compared
    as sets of tokens without comments, by BM25 (Robertson and Zaragoza, 2009; k1 = 1.5, b = 0.75),
    where PIE takes distances of a neural embedding. Of equals the first in the file counts; a pair
    that shares no distinguishing token is not similar. Of pairs with the same slow program only
    the one with the greatest speedup counts.

    Pairs of the task's own problem, the part of its name before the first "/", are never taken:
    they would give the answer away. A problem that has the baseline among its slow programs is the
    task's under another name, and problems that share a slow program are one.

    The file is read and its index built at once; threads may share it. Raises
    :class:`~maxcode.errors.ToolError` where ``bm25s`` is not installed,
    :class:`~maxcode.errors.TaskError` for a file that cannot be read or holds no program, and
    :class:`~maxcode.errors.InputError` for a ``k`` below 1.
    """

    def __init__(self, path: Path | str, k: int = 4, *, notes: Notes | None = None) -> None:
        if k < 1:
            raise InputError(f"k is a number of similar pairs of at least 1, not {k}")
        try:
            import bm25s  # type: ignore[import-untyped]  # noqa: PLC0415 - an extra
        except ModuleNotFoundError as error:
            raise ToolError(
                "similar pairs need bm25s, which is not installed: pip install 'maxcode[retrieval]'"
            ) from error
        self.path = Path(path)
        self.k = k
        best: dict[tuple[str, ...], Pair] = {}
        self._problems: dict[tuple[str, ...], set[str]] = {}
        for pair in read_pairs(path, notes=notes) if notes else read_pairs(path):
            if words := tokens(pair.slow):
                if (pair.speedup or 0) > (best.setdefault(words, pair).speedup or 0):
                    best[words] = pair
                self._problems.setdefault(words, set()).add(pair.problem_id)
        if not best:
            raise TaskError(f"{path}: every slow program in it is nothing but comments")
        self._pairs = tuple(best.values())
        self._programs = list(best)
        self._index = bm25s.BM25()
        self._index.index(self._programs, show_progress=False)
        self._found = lru_cache(64)(self._find)  # a task's are shown in many prompts

    def of(self, task: Task) -> tuple[Pair, ...]:
        """Those of a task, the most similar first; fewer than ``k`` where no more are similar.

        Raises :class:`InputError` for a task that is not in C++.
        """
        if task.language != "c++":
            raise InputError(
                f"the pairs of {self.path} are C++ programs, and {task.name!r} is none; "
                "leave out --similar"
            )
        return self._found(task.name.partition("/")[0], task.baseline.code)

    @cached_property
    def identity(self) -> str:
        """What decides which pairs it finds, wherever the file lies."""
        content = sha256()
        for pair, problems in zip(self._pairs, self._problems.values(), strict=True):
            content.update(repr((pair, sorted(problems))).encode())
        return f"{content.hexdigest()[:16]}, k={self.k}"

    def _find(self, problem: str, code: str) -> tuple[Pair, ...]:
        words = tokens(code)
        if not words:
            return ()
        scores = self._index.get_scores(list(dict.fromkeys(words)))
        order = (-scores).argsort(kind="stable")
        same = self._same(problem, words)
        similar = (
            self._pairs[one]
            for one in order
            if scores[one] > 0 and same.isdisjoint(self._problems[self._programs[one]])
        )
        return tuple(islice(similar, self.k))

    def _same(self, problem: str, words: tuple[str, ...]) -> set[str]:
        """The problems that are the task's own, whatever their names."""
        same: set[str] = set()
        more = {problem} | self._problems.get(words, set())
        while more - same:
            same |= more
            shared = (names for names in self._problems.values() if not same.isdisjoint(names))
            more = same.union(*shared)
        return same


@lru_cache(4096)
def normal_form(program: Program) -> tuple[tuple[str, ...], ...] | None:
    """What of a C++ program is left without comments and layout; two of one form are the same.

    None of a program for which that cannot be said by its tokens alone.
    """
    texts = [text for _, text in sorted(program.files.items())]
    if any('R"' in text or "\\\n" in text for text in texts):
        return None
    lines: list[tuple[str, ...]] = [(program.entry, *sorted(program.files))]
    for text in texts:
        lines.append(tokens(text))
        directives = (line.split("//")[0] for line in text.split("\n") if line.lstrip()[:1] == "#")
        lines += [tuple(line.split()) for line in directives]  # which end with their lines
    return tuple(lines)


def tokens(code: str) -> tuple[str, ...]:
    """The tokens of a C++ program, without its comments."""
    return tuple(intern(token) for token in _TOKEN.findall(code) if token)
