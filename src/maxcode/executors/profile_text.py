"""A profile as a few lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from maxcode.evaluation import HotFunction, HotLine, Profile

_LINES, _FUNCTIONS = 9, 8
_CODE = 60  # characters of a line of code


def profile_text(profile: Profile, test: str, seconds: float, problem: str = "") -> str:
    """The short form: at most 25 lines of ASCII. ``problem`` is why there are no costs.

    ``test`` is what it was profiled on, and ``seconds`` of processor time what that took it.
    """
    return "\n".join(_ascii(line).rstrip() for line in _all(profile, test, seconds, problem))


def _all(profile: Profile, test: str, seconds: float, problem: str) -> Iterator[str]:
    facts = [f"{seconds * 1e3:,.0f} ms of cpu time"]
    if profile.instructions is not None:
        facts.append(f"{_large(profile.instructions)} instructions")
    if profile.allocations is not None:
        facts.append(f"{profile.allocations:,} allocations")
    if profile.peak_memory is not None:
        facts.append(f"peak memory {profile.peak_memory / 1e6:,.1f} MB")
    if profile.memory_integral is not None:
        facts.append(f"memory x time {profile.memory_integral:,.2f} MB*s")
    yield f"test {test}: {', '.join(facts)}"
    if problem:
        yield f"no lines and functions: {problem}"
        return
    if profile.lines:
        yield ""
        yield from _line_table(profile.lines[:_LINES])
    if profile.functions:
        yield ""
        yield from _function_table(profile.functions[:_FUNCTIONS])


def _line_table(lines: Sequence[HotLine]) -> Iterator[str]:
    several = len({line.path for line in lines}) > 1
    places = [f"{line.path}:{line.line}" if several else str(line.line) for line in lines]
    codes = [shortened(code_of(line)) for line in lines]
    width = max(map(len, [*places, "line"]))
    broad = max(map(len, [*codes, "code"]))
    yield f"share  {'line':>{width}}  {'code':<{broad}}  of that in the library"
    for line, place, code in zip(lines, places, codes, strict=True):
        library = ", ".join(f"{name} {_percent(part)}" for name, part in line.library[:2])
        yield f"{_percent(line.share):>5}  {place:>{width}}  {code:<{broad}}  {library}"


def _function_table(functions: Sequence[HotFunction]) -> Iterator[str]:
    counts = [f"{function.calls:,}" for function in functions]
    width = max(map(len, [*counts, "calls"]))
    yield f" self  total  {'calls':>{width}}  function"
    for function, count in zip(functions, counts, strict=True):
        shares = f"{_percent(function.share):>5}  {_percent(function.inclusive):>5}"
        again = " (recursive)" if function.own and function.recursive else ""
        yield f"{shares}  {count:>{width}}  {function.name}{again}"


def code_of(line: HotLine) -> str:
    """The code of a line; a bare brace says what ends there, for destructors run at it."""
    bare = not any(c.isalnum() for c in line.code)
    return f"{line.code}  (end of a block in {line.function})" if bare else line.code


def shortened(code: str, most: int = _CODE) -> str:
    """A line of code, cut where it is long."""
    return code if len(code) <= most else code[: most - 3] + "..."


def _percent(share: float) -> str:
    return "<1 %" if 0 < share < 0.005 else f"{100 * share:.0f} %"


def _large(number: int) -> str:
    return f"{number / 1e6:,.1f} million" if number >= 100_000 else f"{number:,}"


def _ascii(text: str) -> str:
    return "".join(c if c.isascii() and c.isprintable() else "?" for c in text)
