"""Forms of answers: which one a model is asked for, and how functions on their own are read.

Large models write whole programs. Small ones are cut off, or forget half; one function, or one
place that is searched and replaced, they may still get right. Which form a run asks for is learned
from the answers it got: no more than a share of usable ones is looked at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from random import Random
from typing import TYPE_CHECKING, Literal, get_args

from maxcode.evaluation import Status
from maxcode.program import Program
from maxcode.search.syntax import cpp_root, declarator_name, text_of, walk
from maxcode.tree import Step

if TYPE_CHECKING:
    from tree_sitter import Node

Form = Literal["program", "edits", "function"]
"""All that changes whole, search/replace blocks, or only the functions that change."""

FORMS: tuple[Form, ...] = get_args(Form)
TAG = "form:"
_TRIED = 4  # answers in the usual form before another one is tried
_ENOUGH = 0.5  # share of usable answers with which nothing else is tried


def chosen(forms: Sequence[Form], steps: Iterable[Step], seed: int) -> Form:
    """The form to ask for, given those that may be (the usual one first) and the steps before.

    It is the usual one until less than half of at least four answers were usable. From then on the
    share of usable answers of each form is drawn from its Beta posterior, and the highest wins
    (Thompson sampling: Thompson, Biometrika 1933). All is derived from ``seed`` and the steps' tags
    ``form:NAME``, so a resumed search asks as it would have asked.
    """
    asked: Counter[str] = Counter()
    usable: Counter[str] = Counter()
    for step in steps:
        for form in (tag.removeprefix(TAG) for tag in step.tags if tag.startswith(TAG)):
            asked[form] += 1
            usable[form] += step.evaluation.status is not Status.INVALID
    usual = forms[0]
    if asked[usual] < _TRIED or usable[usual] >= _ENOUGH * asked[usual]:
        return usual
    rng = Random(f"{seed} form")
    shares = {
        form: rng.betavariate(1 + usable[form], 1 + asked[form] - usable[form]) for form in forms
    }
    return max(forms, key=lambda form: shares[form])


# -- functions on their own ----------------------------------------------------------------------


def with_functions(base: Program, code: str, files: Sequence[str]) -> Program | None:
    """The program with the functions that ``code`` defines in the place of its own.

    A function is known by its name, and where that is several functions' by its parameters, too.
    What else stands in the code is put before the first of them, but for its #include and using
    lines that the file has. None where the code is no C++, or replaces nothing in any of ``files``.
    """
    root = cpp_root(code)
    if root.has_error:
        return None
    pieces = root.children
    for path in files:
        old = _functions(cpp_root(base.files[path]))
        found = {id(piece): _place(piece, old) for piece in pieces}
        if any(found.values()):
            return base.with_file(path, _merged(base.files[path], code, pieces, found))
    return None


def names_of_functions(program: Program) -> set[str]:
    """The functions that have a body in a C++ program, but for those in classes."""
    return {name for text in program.files.values() for name in _functions(cpp_root(text))}


_Place = tuple[int, int]
"""Where a text begins and ends, in bytes."""


def _functions(root: Node) -> dict[str, list[Node]]:
    """The functions that have a body, outside of classes, by name."""
    found: dict[str, list[Node]] = {}
    for node in walk(root):
        if node.type == "function_definition" and (name := declarator_name(node)) is not None:
            found.setdefault(text_of(name), []).append(node)
    return found


def _place(piece: Node, old: dict[str, list[Node]]) -> _Place | None:
    """Where the function is that a piece of an answer takes the place of."""
    definition = piece
    if piece.type == "template_declaration":
        definition = next((n for n in piece.children if n.type == "function_definition"), piece)
    name = declarator_name(definition) if definition.type == "function_definition" else None
    rivals = old.get(text_of(name), []) if name else []
    if len(rivals) > 1:
        rivals = [one for one in rivals if _parameters(one) == _parameters(definition)]
    if len(rivals) != 1:
        return None
    node = rivals[0]
    if node.parent is not None and node.parent.type == "template_declaration":
        if piece.type != "template_declaration":
            return node.start_byte, node.end_byte
        node = node.parent
    return node.start_byte, node.end_byte


def _parameters(definition: Node) -> str:
    lists = (node for node in walk(definition) if node.type == "parameter_list")
    first = next(lists, None)
    return "".join(text_of(first).split()) if first is not None else ""


def _merged(text: str, code: str, pieces: Sequence[Node], found: dict[int, _Place | None]) -> str:
    """The text of a file with all pieces of an answer in it."""
    data, new = text.encode(), code.encode()
    lines = {line.strip() for line in text.split("\n")}
    beside: list[bytes] = []
    placed: dict[_Place, bytes] = {}
    for piece in pieces:
        own = new[piece.start_byte : piece.end_byte]
        place = found[id(piece)]
        if place is not None:
            placed[place] = own
        elif own.decode().strip() not in lines:
            beside.append(own.rstrip(b"\n"))
    top = [own for own in beside if own.startswith(b"#include")]
    others = [own for own in beside if not own.startswith(b"#include")]
    first = min(placed)
    for place in sorted(placed, reverse=True):
        own = placed[place]
        if place == first and others:
            own = b"\n\n".join([*others, own])
        data = data[: place[0]] + own + data[place[1] :]
    return (b"".join(own + b"\n" for own in top) + data).decode()
