"""Workshop: applies rewrites, named by tags, to programs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from maxcode.generators.rewrites import CppSource, Rewrite
from maxcode.program import Program

_SUFFIXES = (".cpp", ".cc", ".cxx", ".h", ".hh", ".hpp", ".hxx")

_File = tuple[str, str]
"""A path and its text."""


class Workshop:
    """Applies rewrites and remembers what came out, so that no text is worked on twice.

    A tag is a rewrite's name, for its fullest application to all files, or ``name#2`` and so on
    for one of its lesser ones.
    """

    def __init__(self, rewrites: Sequence[Rewrite], editable: Iterable[str]) -> None:
        self._rewrites = {rewrite.name: rewrite for rewrite in rewrites}
        self._files = [path for path in editable if path.endswith(_SUFFIXES)]
        self._texts: dict[tuple[str, str], list[str]] = {}
        self._sources: dict[str, CppSource] = {}

    def knows(self, tags: Iterable[str]) -> bool:
        """Whether all of the tags are ours."""
        return all(self._knows(*tag.partition("#")) for tag in tags)

    def _knows(self, name: str, mark: str, number: str) -> bool:
        numbered = number.isdecimal() and int(number) >= 2
        return name in self._rewrites and (numbered or not mark)

    def applicable(self, program: Program) -> dict[str, float]:
        """Every tag that changes the program, with its weight; in a fixed order.

        A lesser application weighs half of its rewrite.
        """
        tags: dict[str, float] = {}
        for name, rewrite in self._rewrites.items():
            fullest, lesser = self._applications(program, name)
            if fullest:
                tags[name] = rewrite.weight
                tags |= {f"{name}#{k + 2}": rewrite.weight / 2 for k in range(len(lesser))}
        return tags

    def apply(self, program: Program, tags: Iterable[str]) -> tuple[Program, tuple[str, ...]]:
        """The program after these rewrites, one after the other, and those that did apply."""
        applied: list[str] = []
        for tag in tags:
            changed = self._apply_one(program, tag)
            if changed != program:
                program = changed
                applied.append(tag)
        return program, tuple(applied)

    def _apply_one(self, program: Program, tag: str) -> Program:
        name, _, number = tag.partition("#")
        fullest, lesser = self._applications(program, name)
        chosen = lesser[int(number) - 2 :][:1] if number else fullest
        for path, text in chosen:
            program = program.with_file(path, text)
        return program

    def _applications(self, program: Program, name: str) -> tuple[list[_File], list[_File]]:
        """The files of a rewrite's fullest application, and its lesser ones of one file each."""
        changed = [
            (path, texts)
            for path in self._files
            if path in program.files  # a candidate of another generator may lack it
            and (texts := self._variants(program.files[path], name))
        ]
        fullest = [(path, texts[0]) for path, texts in changed]
        alone = 0 if len(changed) > 1 else 1  # the fullest of one file is lesser than that of all
        return fullest, [(path, text) for path, texts in changed for text in texts[alone:]]

    def _variants(self, text: str, name: str) -> list[str]:
        key = (text, name)
        if key not in self._texts:
            if text not in self._sources:
                self._sources[text] = CppSource(text)
            self._texts[key] = list(self._rewrites[name].apply(self._sources[text]))
        return self._texts[key]
