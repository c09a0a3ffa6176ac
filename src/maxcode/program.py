"""Program: the files of one version of the code."""

from __future__ import annotations

import codecs
import difflib
import hashlib
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath, PurePosixPath
from types import MappingProxyType

_BYTE = 0x10FF00  # plus a byte from 0x80 on: the private-use character that stands for it
_STANDS_FOR_BYTE = re.compile(rb"\xf4\x8f([\xbe\xbf])([\x80-\xbf])")


def _bytes_as_characters(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    wrong = error.object[error.start : error.end]
    return "".join(chr(_BYTE + byte) for byte in wrong), error.end


codecs.register_error("maxcode-bytes", _bytes_as_characters)


def to_text(data: bytes) -> str:
    """Text of a source file: UTF-8, any other byte as a private-use character that stands for it.

    So a file in Latin-1 can be kept, shown and edited as text; :func:`to_bytes` is the way back.
    """
    return data.decode("utf-8", "maxcode-bytes")


def to_bytes(text: str) -> bytes:
    """Content of a source file, byte for byte as :func:`to_text` read it."""
    data = text.encode()
    return _STANDS_FOR_BYTE.sub(
        lambda found: bytes([found[2][0] + (0x40 if found[1] == b"\xbf" else 0)]), data
    )


@dataclass(frozen=True, eq=False)
class Program:
    """One version of the code: an immutable set of text files, one of which is the entry.

    ``files`` maps relative POSIX paths to text. Two programs are equal when their ``digest``, a
    hash of their content, is. Who already knows the digest (a store that loads text on demand)
    passes it along with a read-only mapping, which is then taken as it is. Raises ``ValueError``
    for a path that is absolute or leaves the program's folder, for a file that is also the folder
    of another, for an unknown entry, and for text that UTF-8 cannot hold.
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
        object.__setattr__(self, "digest", _digest(checked, self.entry))

    @classmethod
    def of(cls, code: str, entry: str = "main.cpp") -> Program:
        """A program of one file."""
        return cls({entry: code}, entry)

    @property
    def code(self) -> str:
        """The text of the entry file."""
        return self.files[self.entry]

    def with_file(self, path: str, text: str) -> Program:
        """The same program with one file replaced or added."""
        return Program({**self.files, path: text}, self.entry)

    def with_code(self, code: str) -> Program:
        """The same program with another text in its entry file."""
        return self.with_file(self.entry, code)

    def with_named(self, path: PurePath, text: str) -> Program:
        """The same program with the file replaced whose path ``path`` ends in; else its entry."""
        named = [name for name in self.files if path.match(name)]
        return self.with_file(max(named, key=len, default=self.entry), text)

    def with_line_ends_of(self, other: Program) -> Program:
        """The same program; files that end every line with CRLF in ``other`` do so here, too.

        A new file takes the line ends of the entry of ``other``.
        """
        files = {
            path: re.sub(r"\r?\n", "\r\n", text)
            if _has_crlf(other.files.get(path, other.code))
            else text
            for path, text in self.files.items()
        }
        return Program(files, self.entry)

    def changed(self, other: Program) -> list[str]:
        """Paths whose text differs between the two, or which only one of them has; sorted."""
        paths = self.files.keys() | other.files.keys()
        return sorted(p for p in paths if self.files.get(p) != other.files.get(p))

    def diff(self, other: Program) -> str:
        """Unified diff that turns this program into ``other``; empty when they are equal."""
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


def _has_crlf(text: str) -> bool:
    """Whether every line of a text ends with CRLF."""
    return 0 < text.count("\n") == text.count("\r\n")


def _side(prefix: str, path: str, program: Program) -> tuple[str, list[str]]:
    """One side of a diff: the header's name for the file, and its lines."""
    if path not in program.files:
        return "/dev/null", []
    end = "\t" if " " in path else ""  # ends a name that holds spaces, for patch and git alike
    lines = io.StringIO(program.files[path]).readlines()  # str.splitlines knows other line ends
    return f"{prefix}/{path}{end}", lines


def _checked(path: str, text: str) -> str:
    pure = PurePosixPath(path)
    if not pure.parts or "\\" in path or pure.is_absolute() or ".." in pure.parts:
        raise ValueError(f"a program's file needs a relative path inside its folder, not {path!r}")
    if not path.isprintable():
        raise ValueError(f"a program's file needs a path without control characters, not {path!r}")
    if str(pure) != path:
        raise ValueError(f"a program's file needs a plain path: {str(pure)!r}, not {path!r}")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"{path} holds what is no Unicode text: {error}") from None
    return path


def _digest(files: Mapping[str, str], entry: str) -> str:
    content = hashlib.sha256()
    for part in (entry, *(piece for item in files.items() for piece in item)):
        data = part.encode()
        content.update(len(data).to_bytes(8, "big"))
        content.update(data)
    return content.hexdigest()
