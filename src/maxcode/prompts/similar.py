"""SimilarPairs: what made programs like this one faster, from a training file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property, lru_cache
from hashlib import sha256
from itertools import islice
from pathlib import Path
from sys import intern

from maxcode.errors import InputError, ToolError
from maxcode.task import Task
from maxcode.tasks.pie import Notes, Pair, read_pairs

_TOKEN = re.compile(
    r"//[^\n]*|/\*.*?\*/"  # comments, which are no group and so no tokens
    r'|("(?:\\.|[^"\\\n])*"|[A-Za-z_]\w*|\d[\w.]*'
    r"|<<=?|>>=?|->|::|\+\+|--|&&|\|\||[-+*/%&|^=!<>]=|[^\s\w])",
    re.DOTALL,
)


class SimilarPairs:
    """The ``k`` pairs of a training file whose slow programs are most like a task's baseline.

    The file is in PIE's format (see :func:`~maxcode.tasks.pie.read_pairs`). Programs are compared
    as sets of tokens without comments, by BM25 (Robertson and Zaragoza, 2009; k1 = 1.5, b = 0.75),
    where PIE takes distances of a neural embedding. Of equals the first in the file counts; a pair
    that shares no token that tells anything is not similar. Of pairs with the same slow program
    only the one with the greatest speedup counts.

    Pairs of the task's own problem, the part of its name before the first "/", and pairs that start
    from its very program are never taken: they would tell the answer.

    The file is read and its index built at once; threads may share it. Raises
    :class:`~maxcode.errors.ToolError` where ``bm25s`` is not installed,
    :class:`~maxcode.errors.TaskError` for a file that cannot be read and
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
        best = _best(read_pairs(path, notes=notes) if notes else read_pairs(path))
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
        """Tells what it finds from what others would, wherever the file lies."""
        content = sha256()
        for pair in self._pairs:
            content.update(repr(pair).encode())
        return f"{content.hexdigest()[:16]}, k={self.k}"

    def _find(self, problem: str, code: str) -> tuple[Pair, ...]:
        words = tokens(code)
        if not words:
            return ()
        scores = self._index.get_scores(list(dict.fromkeys(words)))
        order = (-scores).argsort(kind="stable")
        similar = (
            self._pairs[one]
            for one in order
            if scores[one] > 0
            and self._pairs[one].problem_id != problem
            and self._programs[one] != words
        )
        return tuple(islice(similar, self.k))


def tokens(code: str) -> tuple[str, ...]:
    """The tokens of a C++ program, without its comments."""
    return tuple(intern(token) for token in _TOKEN.findall(code) if token)


def _best(pairs: Iterator[Pair]) -> dict[tuple[str, ...], Pair]:
    """By the tokens of the slow programs the pair with the greatest speedup, as in the file."""
    best: dict[tuple[str, ...], Pair] = {}
    for pair in pairs:
        words = tokens(pair.slow)
        known = best.setdefault(words, pair)
        if (pair.speedup or 0) > (known.speedup or 0):
            best[words] = pair
    return best
