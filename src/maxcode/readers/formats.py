"""Formats by name, and their readers."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from maxcode.errors import InputError
from maxcode.readers import json_tools, text_tools
from maxcode.readers.figure import Figure, merged

PROCESS = "process"
"""The format of no tool: each command's own time is its figure."""

_JSON: Mapping[str, Callable[[Any], Iterable[Figure]]] = MappingProxyType(
    {
        "asv": json_tools.asv,
        "benchmark-dotnet": json_tools.benchmark_dotnet,
        "google-benchmark": json_tools.google_benchmark,
        "hyperfine": json_tools.hyperfine,
        "jmh": json_tools.jmh,
        "mitata": json_tools.mitata,
        "nanobench": json_tools.nanobench,
        "pyperf": json_tools.pyperf,
        "pytest-benchmark": json_tools.pytest_benchmark,
        "tinybench": json_tools.tinybench,
    }
)
_TEXT: Mapping[str, Callable[[str], Iterable[Figure]]] = MappingProxyType(
    {
        "cargo-bench": text_tools.cargo_bench,
        "catch2": text_tools.catch2,
        "criterion": text_tools.criterion,
        "go": text_tools.go,
        "times": text_tools.times,
    }
)
_WRONG = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError)
_OPENINGS = 100  # lines that may begin a document: each that does not is read up to its error
_OPENING = re.compile(r"\n([{[])")
FORMATS = (PROCESS, *sorted({**_JSON, **_TEXT}), "json:PATH", "regex:EXPRESSION")
"""Formats for tasks; a new format is a function in a module of tools, and its line above."""


def check_format(name: str) -> None:
    """Raise :class:`~maxcode.errors.InputError` for an unknown or malformed format."""
    kind, colon, rest = name.partition(":")
    if kind == "regex" and colon:
        text_tools.compiled_pattern(rest)
    elif not (kind == "json" and rest) and name not in (PROCESS, *_JSON, *_TEXT):
        raise InputError(f"unknown format {name!r}; known: {', '.join(FORMATS)}")


def read_figures(name: str, output: bytes) -> list[Figure]:
    """The figures in a tool's report, for each benchmark, in its order.

    Raises :class:`~maxcode.errors.InputError` for output of another tool, or without figures.
    """
    text = output.decode("utf-8", "replace")
    kind, _, rest = name.partition(":")
    try:
        if kind == "regex":
            figures = merged(text_tools.by_pattern(text, rest))
        elif kind == "json":
            figures = merged(json_tools.at_path(_document(text), rest))
        elif name in _JSON:
            figures = merged(_JSON[name](_document(text)))
        else:
            figures = merged(_TEXT[name](text))
    except (*_WRONG, RecursionError) as error:
        problem = f"{type(error).__name__}: {error}"[:200]
        raise InputError(f"what the benchmark wrote is not {name}'s: {problem}") from error
    if not figures:
        raise InputError(f"what the benchmark wrote holds no benchmark of {name}: {text[:200]!r}")
    return figures


def _document(text: str) -> Any:
    """The JSON in a text; lines of programs around it are passed over.

    A second document is an error: a forged report would stand beside the tool's own.
    """
    try:
        return json.loads(text)
    except ValueError:
        found = list(_documents(f"\n{text}"))
    if len(found) > 1:
        raise ValueError("there are two JSON documents in it")
    if not found:
        raise ValueError("there is no JSON in it")
    return found[0]


def _documents(text: str) -> Iterator[Any]:
    """JSON that begins and ends on lines of its own."""
    decoder, end, tried = json.JSONDecoder(), 0, 0
    while found := _OPENING.search(text, end):
        end, tried = found.end(), tried + 1
        if tried > _OPENINGS:
            raise ValueError("there is no JSON in most lines that begin like it")
        try:
            document, after = decoder.raw_decode(text, found.start(1))
        except ValueError:
            continue
        if not text[after:].partition("\n")[0].strip():
            yield document
            end = after
