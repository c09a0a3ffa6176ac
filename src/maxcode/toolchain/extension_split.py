"""Two units of one extension: the candidate's own code, and what binds its functions to Python.

Binding a function takes g++ three times as long as a kernel does, and depends on nothing but the
function's type. So it becomes a unit of its own, which is compiled beside the other, and kept: who
changes only bodies of functions never waits for it again.

That both units mean the same types is for compiler and linker to say. For each function the
candidate's unit defines ``void maxcode_bound_0(F**)``, where ``F`` is the function's type; the
other unit calls it by the type that it takes the function to have. The mangled name holds all of
``F``, also what it returns, and the symbol is hidden, so one that is not there fails to link.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from maxcode.toolchain.extension_sources import BINDINGS, InlineSources

GETTER = "maxcode_bound_"
"""What names of the functions begin with that one unit asks the other by."""

_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_BINDS_ITSELF = re.compile(r"\bpy(bind11)?\s*::|pybind11|PYBIND11|\bPy[A-Z_]|\bTHP|python\.h")
_BEFORE = re.compile(r"(?:^|[;{}]|#[^\n]*\n)(?P<type>[\w:<>,&*\s]+)\Z", re.ASCII)
_STORAGE = re.compile(r"\b(static|inline|extern|constexpr)\b")
_NO_TYPE = re.compile(r"\b(return|else|throw|new|auto|template|typedef|using|case|goto|operator)\b")
_PARAMETERS = re.compile(r"(\((?:[^()#\"'\\;]|\([^()#\"'\\;]*\))*\))\s*[{;]")
_NAMED = re.compile(  # of a parameter; what is cut off wrongly fails to link
    r"(?<=[\w>&*])(?:\s+|(?<=[>&*]))(?!(?:int|long|short|char|double|float|bool|unsigned|const)\b)"
    r"[A-Za-z_]\w*(?=\s*[,)])",
    re.ASCII,
)
_LONGEST = 1000  # characters of a type, or of parameters
_MOST_USES = 10  # of a name, that are looked at
# Flags that leave alone what functions of one type have in common: the way they are called.
_OPTIMIZATION = re.compile(r"-O\w*")
_INDEPENDENT = re.compile(
    r"-O\w*|-m(arch|tune)=[\w-]+|-m(no-)?(sse|avx|fma|bmi|f16c|popcnt)[\w.-]*|-g\w*|-W[\w=+-]*|-w"
    r"|-pipe|-pthread|-D(?!_|TORCH|C10|AT_|PYBIND|CAFFE)\w.*|-fopenmp(-simd)?|-fPIC"
    r"|-f(no-)?(fast-math|math-errno|(un)?safe-math-optimizations|finite-math-only|trapping-math"
    r"|signed-zeros|associative-math|reciprocal-math|rounding-math|strict-aliasing"
    r"|omit-frame-pointer|unroll-(all-)?loops|peel-loops|(tree|ipa|inline)-[\w-]+)",
    re.ASCII,
)
_HIDDEN = '__attribute__((visibility("hidden")))'


@dataclass(frozen=True, slots=True)
class Split:
    """The text of both units, and the flags of g++ for the one that binds."""

    code: str
    bindings: str
    flags: tuple[str, ...]


def split(sources: InlineSources) -> Split | None:
    """Both units, or None where it takes one to be sure of the same result."""
    flags = _binding_flags(sources.extra_cflags)
    text = _COMMENT.sub(" ", "\n".join(sources.cpp_sources))
    if not sources.functions or not sources.implicit_headers or flags is None:
        return None
    if _BINDS_ITSELF.search(text):
        return None
    names = [name for name, _ in sources.functions]
    heads = [_head(text, name) for name in names]
    if not all(heads):
        return None
    return Split(
        code="\n".join((*sources.cpp_lines(), f'#line 1 "{BINDINGS}"', *_getters(names), "")),
        bindings="\n".join((*_bindings(sources, heads), "")),
        flags=flags,
    )


def _head(text: str, name: str) -> str:
    """Its declaration, as found in the text; empty if there is none that could be one."""
    if not _NAME.fullmatch(name):
        return ""
    for found in islice(re.finditer(rf"\b{name}\s*(?=\()", text), _MOST_USES):
        before = _BEFORE.search(text[max(0, found.start() - _LONGEST) : found.start()])
        parameters = _PARAMETERS.match(text[found.end() : found.end() + _LONGEST])
        if before and parameters:
            returned = _STORAGE.sub(" ", before["type"])
            if returned.strip() and not _NO_TYPE.search(returned):
                types = _NAMED.sub("", parameters[1])  # names of parameters say nothing
                return " ".join(f"{returned} {name}{types};".split())
    return ""


def _getters(names: Sequence[str]) -> Iterator[str]:
    for number, name in enumerate(names):
        yield (
            f"{_HIDDEN} void {GETTER}{number}(decltype(&{name})* function) "
            f"{{ *function = &{name}; }}"
        )


def _bindings(sources: InlineSources, heads: Sequence[str]) -> Iterator[str]:
    functions = sources.functions or ()
    yield "#include <torch/extension.h>"
    yield "namespace at {} namespace torch { using namespace at; }"  # as torch/types.h does
    for number, ((name, _), head) in enumerate(zip(functions, heads, strict=True)):
        yield head
        yield f"{_HIDDEN} void {GETTER}{number}(decltype(&{name})*);"
    yield "template <class F> static F maxcode_of(void (*get)(F*)) { F f; get(&f); return f; }"
    yield from sources.binding_lines(f"maxcode_of({GETTER}{{}})")


def _binding_flags(flags: Sequence[str]) -> tuple[str, ...] | None:
    """Those for the unit that binds; None if they are such as might change types or calls.

    It is optimized when the candidate's code is, for what a call costs. More than -O1 would gain
    some 0.2 us a call, and take a second longer.
    """
    standards = [flag for flag in flags if flag.startswith("-std=")]
    others = [flag for flag in flags if flag not in standards]
    if not all(_INDEPENDENT.fullmatch(flag) for flag in others):
        return None
    levels = [flag for flag in flags if _OPTIMIZATION.fullmatch(flag)]
    optimized = levels and levels[-1] not in ("-O0", "-Og")
    return (*standards, *(["-O1"] if optimized else []))
