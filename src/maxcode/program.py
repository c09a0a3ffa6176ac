"""Program: the files of a version of the code."""

from __future__ import annotations

import difflib
import hashlib
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path, PurePosixPath
from types import MappingProxyType

from maxcode.sources import in_form_of, shown, to_bytes


@dataclass(frozen=True, eq=False)
class Program:
    """A version of the code: an immutable set of text files including an entry file.

    ``files`` maps relative POSIX paths to text, as :mod:`maxcode.sources` has it; a ``digest`` of
    their content decides equality, and a caller knowing it passes it along with a read-only
    mapping. Raises ``ValueError`` for a path absolute, outside or below another file, an unknown
    entry, and text UTF-8 cannot hold.
    """

    files: Mapping[str, str]
    entry: str
    digest: str = ""

    def __post_init__(self) -> None:
        if self.digest:
            return
        if self.entry not in self.files:
            raise ValueError(f"the entry {self.entry!r} is not among the files {list(self.files)}")
        checked = {
            _checked(path, self.files[path]): self.files[path] for path in sorted(self.files)
        }
        folders = {str(folder) for path in checked for folder in PurePosixPath(path).parents}
        if clash := sorted(folders & checked.keys()):
            raise ValueError(f"a program cannot have both a file and a folder named {clash[0]!r}")
        object.__setattr__(self, "files", MappingProxyType(checked))
        parts = (self.entry, *chain.from_iterable(checked.items()))
        object.__setattr__(self, "digest", digest_of(part.encode() for part in parts))

    @classmethod
    def of(cls, code: str, entry: str = "main.cpp") -> Program:
        """A program of a single file."""
        return cls({entry: code}, entry)

    @property
    def code(self) -> str:
        """The text of the entry file."""
        return self.files[self.entry]

    def with_files(self, texts: Mapping[str, str]) -> Program:
        """This program with files added, or replaced in their own line ends and encoding."""
        known = {
            path: in_form_of(self.files[path], text) if path in self.files else text
            for path, text in texts.items()
        }
        return Program({**self.files, **known}, self.entry)

    def with_file(self, path: str, text: str) -> Program:
        """This program with a file added or replaced, as :meth:`with_files` does."""
        return self.with_files({path: text})

    def with_code(self, code: str) -> Program:
        """This program with another text in its entry file, as :meth:`with_files` does."""
        return self.with_file(self.entry, code)

    def shown(self) -> Program:
        """This program as models see it; :meth:`with_files` takes its texts back."""
        texts = {path: shown(text) for path, text in self.files.items()}
        return self if texts == self.files else Program(texts, self.entry)

    def changed(self, other: Program) -> list[str]:
        """Paths with different texts, or present in a single program; sorted."""
        paths = self.files.keys() | other.files.keys()
        return sorted(p for p in paths if self.files.get(p) != other.files.get(p))

    def diff(self, other: Program) -> str:
        """Unified diff from this program to ``other``; empty when they are equal."""
        pieces: list[str] = []
        for path in self.changed(other):
            old, before = _side("a", path, self)
            new, after = _side("b", path, other)
            for line in difflib.unified_diff(before, after, old, new):
                ended = line.endswith("\n")
                pieces.append(line if ended else f"{line}\n\\ No newline at end of file\n")
        return "".join(pieces)

    def write(self, folder: Path) -> None:
        """Write every file below ``folder``, which is made if needed."""
        for path, text in self.files.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(to_bytes(text))

    def __reduce__(self) -> tuple[type[Program], tuple[dict[str, str], str]]:
        # Where it is unpickled it is checked, and its digest computed, anew.
        return Program, (dict(self.files), self.entry)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Program) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        return f"Program({self.entry}, {len(self.files)} file(s), {self.digest[:12]})"


def _side(prefix: str, path: str, program: Program) -> tuple[str, list[str]]:
    """Side of a diff: the header's name for the file, and its lines."""
    if path not in program.files:
        return "/dev/null", []
    end = "\t" if " " in path else ""  # ends a name that holds spaces, for patch and git alike
    lines = io.StringIO(program.files[path]).readlines()  # str.splitlines knows other line ends
    return f"{prefix}/{path}{end}", lines


def _checked(path: str, text: str) -> str:
    pure = PurePosixPath(path)
    inside = pure.parts and ".." not in pure.parts and not pure.is_absolute()
    if not inside or "\\" in path or not path.isprintable() or str(pure) != path:
        raise ValueError(f"a program's file needs a plain path inside its folder, not {path!r}")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"{path} holds what is no Unicode text: {error}") from None
    return path


def digest_of(parts: Iterable[bytes]) -> str:
    """SHA-256 of parts in sequence; no content moves from a part to another unnoticed."""
    content = hashlib.sha256()
    for part in parts:
        content.update(len(part).to_bytes(8, "big"))
        content.update(part)
    return content.hexdigest()
