"""Files of an answer: labels of pieces of code, and pieces that are whole files.

The last whole text of a file that is presented as the result counts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import PurePosixPath

from maxcode.program import Program
from maxcode.prompts.answer_blocks import Block, left_out, missing
from maxcode.task import Task

LINE_END = re.compile(r"\r\n?")
_PATH = r"[\w.+~/\\:-]*\w\.[A-Za-z]\w{0,4}"
_LABEL = re.compile(
    r"(?:new |updated |modified )?(?:file ?name|file ?path|file|path)\b", re.IGNORECASE
)
_MENTIONED = re.compile(rf"(?<![\w/.]){_PATH}")


def named(line: str) -> str:
    """The path on a line with nothing else: "### `src/a.h`:", "// a.h"; "" if none."""
    if len(line) > 200:
        return ""
    text = line.strip().lstrip("#*>`[\"'!=- \t")
    text = text.lstrip("/*= -") if text.startswith(("//", "/*")) else text
    text = _LABEL.sub("", text, count=1).lstrip("*:`\"' \t").rstrip("*/:`\"'=-] \t")
    return text if re.fullmatch(_PATH, text) else ""


def resolved(path: str, files: Iterable[str]) -> str:
    """The member of ``files`` meant by a path ("./a.cpp", "src/a.cpp" for "a.cpp"); "" if none."""
    if leaves_folder(path):
        return ""
    plain = str(PurePosixPath(path.replace("\\", "/")))
    if plain in files:
        return plain
    ends = [file for file in files if file.endswith(f"/{plain}") or plain.endswith(f"/{file}")]
    return ends[0] if len(ends) == 1 else ""


def leaves_folder(path: str) -> bool:
    """Whether a path is absolute or leads out of the program's folder."""
    plain = path.replace("\\", "/")
    return plain.startswith(("/", "~")) or ":" in plain or ".." in plain.split("/")


def label(block: Block, files: Mapping[str, str]) -> tuple[str, str]:
    """The member of ``files`` in a piece's label, and the label if it is none of them.

    Labels are in the fence, on a line above, or on the first line of the code; or the sentence
    above names a file.
    """
    words = block.info.replace(":", " ").split()
    first = block.code.strip().split("\n", 1)[0]
    names = list(filter(None, [*map(named, words), named(block.above), named(first)]))
    known = [path for name in names if (path := resolved(name, files))]
    mentioned = (resolved(path, files) for path in _MENTIONED.findall(block.above[-200:]))
    path = known[0] if known else next(filter(None, mentioned), "")
    return path, "" if path or not names else names[0]


_BESIDE = re.compile(
    r"\b(?:for comparison|to (?:compare|verify)|benchmarks?|harness|stress[- ]test\w*|fall[- ]?back"
    r"|check (?:it|this|that|against|correctness)|brute[- ]?force|naive|original|slow|reference"
    r"|baseline|alternative\w*|tests?|tester|generator|started (?:from|with))\b|^\W*before\b",
    re.IGNORECASE,
)


def is_beside(block: Block) -> bool:
    """Whether the line above presents a piece as something other than the answer.

    Such as a slow program to check with, a benchmark, the old code, a fallback.
    """
    return bool(_BESIDE.search(block.above))


@dataclass(frozen=True, slots=True)
class Piece:
    """A block, the program's file in its label, and the reason if it is no whole file.

    ``lacks`` names parts of the file to improve that are missing here, ``gap`` is a line in place
    of omitted code, and ``foreign`` the label if it is no file of the program.
    """

    block: Block
    path: str
    lacks: str
    gap: str
    foreign: str

    @property
    def whole(self) -> bool:
        """Whether it may be all of a file."""
        return not (self.lacks or self.gap)


@dataclass(frozen=True)
class WholeFiles:
    """The whole files in ``blocks``.

    ``cut``: the answer ended at the token limit, so its last block is not whole.
    """

    blocks: Sequence[Block]
    cut: bool
    bases: Sequence[Program]
    task: Task

    @cached_property
    def pieces(self) -> list[Piece]:
        """All code but edits and diffs."""
        return [self._piece(block) for block in self.blocks if block.code.strip()]

    @cached_property
    def texts(self) -> dict[str, str]:
        """The text of each written file, by path."""
        usable = [piece for piece in self.pieces if piece.block.closed or not self.cut]
        whole = [piece for piece in usable if piece.whole]
        chosen: dict[str, Piece] = {}
        for path in self._old:
            fit = [p for p in whole if p.path == path]
            if path == self._target:
                fit = [p for p in whole if not p.foreign and p.path in (path, "")]
                if not fit and len(self._old) == 1:  # perhaps it has another name there
                    fit = [p for p in whole if not leaves_folder(p.foreign)]
            if fit:
                results = [piece for piece in fit if not is_beside(piece.block)]
                chosen[path] = (results or fit)[-1]
        texts = [piece.block.code for piece in chosen.values()]
        for piece in usable:
            new = piece.foreign.removeprefix("./")
            if new and not piece.gap and _is_included(new, texts):
                chosen[new] = piece
        return {path: ended(piece.block.code) for path, piece in chosen.items()}

    @cached_property
    def program(self) -> Program | None:
        """The program to improve with those files instead of its own; None without files."""
        return self.bases[0].with_files(self.texts) if self.texts else None

    @property
    def goes_on(self) -> bool:
        """Whether the answer was cut off in code meant as the result."""
        last = self.blocks[-1] if self.cut and self.blocks else None
        return last is not None and not last.closed and not is_beside(last)

    def _piece(self, block: Block) -> Piece:
        code = block.code
        path, foreign = label(block, self._old)
        first, _, rest = code.partition("\n")
        if path and resolved(first.strip(), self._old) == path:
            code = rest  # a bare path is no code in any language
        file = path or self._target
        lacks = missing(file, code, self._old[file], self.task.language)
        gap = left_out(code, self.lines, self.task.language)
        return Piece(replace(block, code=code), path, lacks, gap, foreign)

    @property
    def _old(self) -> Mapping[str, str]:
        return self.bases[0].files

    @cached_property
    def _target(self) -> str:
        """The file for code without a path: the only editable file, or the entry."""
        editable = self.task.editable
        return editable[0] if len(editable) == 1 else self.bases[0].entry

    @cached_property
    def lines(self) -> set[str]:
        """All lines of the shown programs, without white space around."""
        texts = (text for program in self.bases for text in program.files.values())
        return {line.strip() for text in texts for line in text.split("\n")}


def ended(text: str) -> str:
    """A text with "\\n" as its only line end, also at its end, without empty lines around it."""
    lines = LINE_END.sub("\n", text).strip("\n").split("\n")
    while len(lines) > 1 and not lines[-1].strip():
        lines.pop()
    return "\n".join(lines) + "\n"


def squeezed(text: str) -> str:
    """A text without white space."""
    return "".join(text.split())


def equal(program: Program, other: Program, form: Callable[[str], str]) -> bool:
    """Whether two programs have the same files, with equal texts in that ``form``."""
    return program.files.keys() == other.files.keys() and all(
        form(text) == form(other.files[path]) for path, text in program.files.items()
    )


def _is_included(path: str, texts: Sequence[str]) -> bool:
    """Whether any of the texts includes or imports a file."""
    if leaves_folder(path):
        return False
    stem = re.escape(path.rpartition("/")[2].rpartition(".")[0])
    pattern = re.compile(
        rf'^[ \t]*#[ \t]*include[ \t]*"[^"\n]*{stem}\.|^(?:import|from) {stem}\b', re.MULTILINE
    )
    return any(pattern.search(text) for text in texts)
