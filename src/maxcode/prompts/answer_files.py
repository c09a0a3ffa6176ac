"""Files of an answer: labels of pieces of code, and pieces that are whole files.

The last whole text of a file that is presented as the result counts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import PurePosixPath

from maxcode.program import Program
from maxcode.prompts.answer_blocks import (
    Block,
    is_closed,
    left_out,
    loose_code,
    may_be_code,
    missing,
    read_tags,
)
from maxcode.task import Task

LINE_END = re.compile(r"\r\n?")
_PATH = r"[\w.+~/\\:-]*\w\.[A-Za-z]\w{0,4}"
_LABEL = re.compile(
    r"(?:new |updated |modified )?(?:file ?name|file ?path|file|path)\b", re.IGNORECASE
)
_TRAILING_REMARK = re.compile(r"\([^()]*\)$")
_ATTRIBUTE = re.compile(r"\b(?:title|filename|file|path|name)\s*=\s*[\"']?([^\"'\s>}]+)", re.I)
_MENTIONED = re.compile(rf"(?<![\w/.]){_PATH}")


def named(line: str) -> str:
    """The path on a line with nothing else: "### `src/a.h`:", "// a.h"; "" if none."""
    if len(line) > 200:
        return ""
    if found := _ATTRIBUTE.search(line):
        return found[1]
    text = line.strip().lstrip("#*>`[\"'!=- \t")
    text = text.lstrip("/*= -") if text.startswith(("//", "/*")) else text
    text = _LABEL.sub("", text, count=1).lstrip("*:`\"' \t")
    text = _TRAILING_REMARK.sub("", text.rstrip("*/:`\"'=- \t")).rstrip("*:`\"'] \t")
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


# -- labels of pieces of code --------------------------------------------------------------------

_REMARK = re.compile(r"\s[-\N{EN DASH}\N{EM DASH}]\s")
_SURELY_BESIDE = re.compile(
    r"\b(?:for comparison|to (?:compare|verify)|benchmarks?|harness|stress[- ]test\w*"
    r"|fall[- ]?back|check (?:it|this|that|against|correctness))\b",
    re.IGNORECASE,
)
_BESIDE = re.compile(
    r"\b(?:brute[- ]?force|na[i\N{LATIN SMALL LETTER I WITH DIAERESIS}]ve|original|old|older"
    r"|previous|slow|reference|baseline|alternative\w*|simpler|verif\w+|tests?|tester|generator"
    r"|started (?:from|with))\b"
    r"|^\W*(?:before|input)\b",
    re.IGNORECASE,
)
_RESULT = re.compile(
    r"\b(?:fast\w*|optimi[sz]ed|improved|better|final|complete|full|whole|entire|new|updated"
    r"|corrected|fixed|rewritten|solution|answer|result|pass\w*|replac\w+|instead|rather|unlike"
    r"|avoid\w*|remov\w+|than|version \d)\b",
    re.IGNORECASE,
)


def label(block: Block, files: Mapping[str, str]) -> tuple[str, str]:
    """The member of ``files`` in a piece's label, and the label if it is none of them.

    Labels are in the fence, on a line above, or on the first line of the code; or the sentence
    above names a file.
    """
    if any(own := stated(block, files)):
        return own
    first = block.code.strip().split("\n", 1)[0]
    if path := resolved(named(_REMARK.split(first)[0]), files):
        return path, ""
    mentioned = (resolved(path, files) for path in _MENTIONED.findall(block.above[-200:]))
    return next(filter(None, mentioned), ""), named(first)


def stated(block: Block, files: Collection[str]) -> tuple[str, str]:
    """As :func:`label`, of a label in the fence, or alone on the line above."""
    words = block.info.replace(":", " ").split()
    for name in filter(None, [*map(named, words), named(block.above)]):
        path = resolved(name, files)
        return path, "" if path else name
    return "", ""


def is_beside(block: Block) -> bool:
    """Whether a piece is presented as something other than the answer.

    Such as a slow program to check with, a benchmark, the old code, a fallback: the line above
    says so.
    """
    words = block.above
    if _SURELY_BESIDE.search(words):
        return True
    return bool(_BESIDE.search(words)) and not _RESULT.search(words)


# -- whole files --------------------------------------------------------------------------------

_SHELLS = ("bash", "sh", "shell", "console", "zsh", "shell-session", "powershell")


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
    """The whole files in ``blocks``, or else in tags or amid the prose.

    ``cut``: the answer ended at the token limit, so its last block is not whole.
    """

    blocks: Sequence[Block]
    prose: str
    cut: bool
    bases: Sequence[Program]
    task: Task

    @cached_property
    def pieces(self) -> list[Piece]:
        """All code but edits, diffs and commands."""
        fenced = [b for b in self.blocks if b.language not in _SHELLS and b.code.strip()]
        pieces = [self._piece(block) for block in fenced]
        if any(piece.whole for piece in pieces):
            return pieces
        tagged = [self._piece(block) for block in read_tags(self.prose)]
        loose = loose_code(self.prose, self.task.language)
        if not any(piece.whole for piece in tagged) and loose:
            tagged.append(self._piece(Block("", "", loose, closed=not self.cut, line=0)))
        return pieces + tagged

    @cached_property
    def texts(self) -> dict[str, str]:
        """The text of each written file, by path."""
        return {path: ended(piece.block.code) for path, piece in self._chosen.items()}

    @cached_property
    def line(self) -> int:
        """Where the last of them ends; -1 for none."""
        return max((piece.block.line for piece in self._chosen.values()), default=-1)

    @cached_property
    def program(self) -> Program | None:
        """The program to improve with those files instead of its own; None without files."""
        base = self.bases[0]
        return base.with_files(self.texts) if self.texts else None

    @property
    def goes_on(self) -> bool:
        """Whether the answer was cut off in code meant as the result.

        Or after nothing but code that is not: an answer often begins with the old program, quoted
        with mistakes.
        """
        if not (self.cut and self.blocks):
            return False
        last = self.blocks[-1]
        if last.closed:
            chosen = self._chosen.values()
            return bool(chosen) and all(is_beside(piece.block) for piece in chosen)
        return may_be_code(last, self.task.language) and not is_beside(last)

    def _piece(self, block: Block) -> Piece:
        code = block.code
        path, foreign = label(block, self._old)
        first, _, rest = code.partition("\n")
        if path and resolved(first.strip(), self._old) == path:
            code = rest  # a bare path is no code in any language
        lacks = missing(code, self._old[path or self._target], self.task.language)
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

    @cached_property
    def _chosen(self) -> dict[str, Piece]:
        usable = [piece for piece in self.pieces if self._is_complete(piece.block)]
        whole = [piece for piece in usable if piece.whole]
        chosen: dict[str, Piece] = {}
        for path in self._old:
            fit = [p for p in whole if p.path == path]
            if path == self._target:
                fit = [p for p in whole if not p.foreign and p.path in (path, "")]
                if not fit and len(self._old) == 1:  # perhaps it has another name there
                    fit = [p for p in whole if not leaves_folder(p.foreign)]
            if fit:
                chosen[path] = self._best(fit)
        texts = [piece.block.code for piece in chosen.values()]
        for piece in usable:
            new = piece.foreign.removeprefix("./")
            if new and not piece.gap and _is_included(new, texts):
                chosen[new] = piece
        return chosen

    def _is_complete(self, block: Block) -> bool:
        return block.closed or (not self.cut and is_closed(block.code, self.task.language))

    def _best(self, pieces: list[Piece]) -> Piece:
        """The last piece that is no quotation, and not presented as something else."""
        known = {squeezed(text) for base in self.bases for text in base.files.values()}
        new = [piece for piece in pieces if squeezed(piece.block.code) not in known] or pieces
        return ([piece for piece in new if not is_beside(piece.block)] or new)[-1]


# -- texts and programs --------------------------------------------------------------------------


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
