"""Profiles of native code, and their tables for prompts and people."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace

from maxcode.evaluation import HotFunction, HotLine
from maxcode.measure.callgrind import Executed, Function
from maxcode.measure.symbols import Attributed, Line, short_name
from maxcode.program import Program
from maxcode.toolchain.profiling import LEAST, hot_line

_CODE = 60  # characters of a line of code
_LOADER = "/ld-"
_MAX_LIBRARY = 4  # functions of libraries, of a line


def hot_functions(executed: Executed, ours: Container[Function]) -> list[HotFunction]:
    """Functions merged by short name, as overloads and the instances of a template are.

    The costliest come first; ``ours`` are those of the program itself.
    """
    rows: dict[tuple[str, bool], HotFunction] = {}
    for function, costs in executed.functions.items():
        if _LOADER in function.object:
            continue
        key = short_name(function.name), function in ours
        old = rows.get(key, HotFunction(key[0], 0, 0, 0, key[1]))
        rows[key] = HotFunction(
            old.name,
            old.share + costs.self / executed.instructions,
            min(1.0, old.inclusive + costs.inclusive / executed.instructions),
            old.calls + costs.calls,
            old.own,
            old.recursive or function in executed.recursive,
        )
    return sorted(rows.values(), key=lambda row: (-row.share, row.name, row.own))


def hot_lines(
    costs: Mapping[Line, Attributed], total: float, program: Program, most: int
) -> Iterator[HotLine]:
    """The costliest lines, with the library functions that they call."""
    ranked = sorted(costs.items(), key=lambda item: (-item[1].cost, item[0]))
    for (path, number), found in ranked[:most]:
        share = min(found.cost / total, 1.0)
        line = hot_line(program, path, number, share, found.function)
        if line is not None:  # a program can claim any line
            parts = [(name, cost / total) for name, cost in found.parts.items() if name]
            library = sorted(parts, key=lambda part: (-part[1], part[0]))[:_MAX_LIBRARY]
            yield replace(line, library=tuple(one for one in library if one[1] >= LEAST / 2))


def line_table(lines: Sequence[HotLine], *, named: bool) -> Iterator[str]:
    """A row for each line, with its file if ``named``; empty for no lines."""
    if not lines:
        return
    places = [f"{line.path}:{line.line}" if named else str(line.line) for line in lines]
    codes = [_code(line) for line in lines]
    width = max(map(len, [*places, "line"]))
    broad = max(map(len, [*codes, "code"]))
    yield ""
    yield f"share  {'line':>{width}}  {'code':<{broad}}  of that in the library"
    for line, place, code in zip(lines, places, codes, strict=True):
        library = ", ".join(f"{name} {_percent(part)}" for name, part in line.library[:2])
        yield f"{_percent(line.share):>5}  {place:>{width}}  {code:<{broad}}  {library}"


def function_table(functions: Sequence[HotFunction]) -> Iterator[str]:
    """A row for each function; empty for no functions."""
    if not functions:
        return
    counts = [f"{function.calls:,}" if function.calls else "?" for function in functions]
    width = max(map(len, [*counts, "calls"]))
    yield ""
    yield f" self  total  {'calls':>{width}}  function"
    for function, count in zip(functions, counts, strict=True):
        shares = f"{_percent(function.share):>5}  {_percent(function.inclusive):>5}"
        again = " (recursive)" if function.own and function.recursive else ""
        yield f"{shares}  {count:>{width}}  {function.name}{again}"


def _code(line: HotLine) -> str:
    """Code of a line, shortened; for a bare brace, where destructors run, its function."""
    bare = not any(c.isalnum() for c in line.code)
    code = f"{line.code}  (end of a block in {line.function})" if bare else line.code
    return code if len(code) <= _CODE else code[: _CODE - 3] + "..."


def _percent(share: float) -> str:
    return "<1 %" if 0 < share < 0.005 else f"{100 * share:.0f} %"
