"""Support code of rewrites, shown to models as its interface.

It stands between include guards (``#ifndef MAXCODE_TOKEN_READER_HPP`` to ``#endif``). A model sees
an ``#include`` line in its place, with the declarations in comments below; in the model's answer
that line stands for the code again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace

from maxcode.program import Program
from maxcode.tree import Step

_CODE = re.compile(
    r"^#ifndef MAXCODE_(?P<name>\w+)_HPP\n.*?^#endif\b[^\n]*\n?", re.DOTALL | re.MULTILINE
)
_SHOWN = re.compile(
    r'^#include "maxcode/(?P<name>\w+)\.hpp"[^\n]*\n?(?://\|[^\n]*\n?)*', re.MULTILINE
)
_NOTE = "  // its code stands here, and is not shown; keep this line if you use it"


def folded(program: Program) -> Program:
    """The program with the interface of support code in its place."""
    return _with_texts(program, lambda text: _CODE.sub(_interface, text))


def folded_step(step: Step) -> Step:
    """The step with its program so."""
    program = folded(step.program)
    return step if program is step.program else replace(step, program=program)


def unfolded(program: Program, sources: Iterable[Program]) -> Program:
    """The program with the support code of ``sources`` in place of its lines."""
    codes = {
        found["name"].lower(): found[0]
        for source in sources
        for text in source.files.values()
        for found in _CODE.finditer(text)
    }
    if not codes:
        return program
    return _with_texts(
        program, lambda text: _SHOWN.sub(lambda found: codes.get(found["name"], found[0]), text)
    )


def _with_texts(program: Program, change: Callable[[str], str]) -> Program:
    for path, text in program.files.items():
        changed = change(text)
        if changed != text:
            program = program.with_file(path, changed)
    return program


def _interface(code: re.Match[str]) -> str:
    lines = "".join(f"//| {line}\n" for line in _declared(code[0].split("\n")[2:-2]))
    return f'#include "maxcode/{code["name"].lower()}.hpp"{_NOTE}\n{lines}'


_TYPE = re.compile(r"\s*(?:class|struct)\b")


def _declared(lines: list[str]) -> Iterable[str]:
    """The comments, types and signatures of code, without bodies and private parts."""
    depth, public, inside = 0, True, 0  # inside: the depth of members that are shown
    for line in lines:
        text = line.strip()
        if text in ("private:", "protected:"):
            public = False
        if text and depth <= inside and (public or depth == 0) and not text.startswith("}"):
            yield line[: line.find("{")].rstrip() if "{" in line else line.rstrip()
        if _TYPE.match(line) and depth == 0 and "{" in line:
            inside, public = 1, True
        depth += line.count("{") - line.count("}")
        if depth <= 0:
            depth, inside = 0, 0
