"""A step in full, as JSON for pages: code, diffs, feedback, prompts, cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from functools import cache, lru_cache
from html import escape
from importlib import import_module
from math import isfinite
from typing import Any

from pydantic import JsonValue

from maxcode.budget import Call
from maxcode.errors import InputError
from maxcode.evaluation import Status
from maxcode.journal.journal import RunLog
from maxcode.report.history import History
from maxcode.report.listing import Document, address, step_diffs, step_in_full
from maxcode.search.result import Result
from maxcode.text import plain

_HIGHLIGHTED = 200  # steps of a page whose code has colours
_MAX_HIGHLIGHTED = 100_000  # characters of a text with colours


def detail(history: History, number: int, *, coloured: bool = True) -> Document:
    """A step in full.

    Texts are plain; values under ``html`` are safe markup. Raises :class:`InputError` for a missing
    step.
    """
    asked, tree = exchange(history, number), history.state.tree
    step = tree[number]
    diffs = step_diffs(tree, step)
    full = step_in_full(step, tree.confirmed(number), tree.fuzzed(number), {})
    del full["diffs"], full["program"]  # they come as markup
    has_code = step.evaluation.status is not Status.INVALID
    files = step.program.files.items() if has_code else ()
    return {
        **{key: shown(value) for key, value in full.items()},
        "code": [{"path": path, "html": markup(path, text, coloured)} for path, text in files],
        "diffs": {name: markup("x.diff", text, coloured) for name, text in diffs.items()},
        **asked,
        "cost": shown(asdict(step.cost)),
    }


def details(history: History, most: int | None = None) -> Iterator[Document]:
    """Every step of a run in full, or the ``most`` steps of :func:`chosen`.

    Of a long run most have no colours.
    """
    ids = chosen(history, most)
    coloured = set(ids[:_HIGHLIGHTED])
    for number in sorted(ids):
        yield detail(history, number, coloured=number in coloured)


def chosen(history: History, most: int | None = None) -> list[int]:
    """The steps for a page of so many: the path to the best, and the fastest."""
    if not history.state.has_tree:
        return []
    tree, best = history.state.tree, Result.of(history.state).best.id
    path = {step.id for step in tree.path(best).steps}
    return sorted(range(len(tree)), key=lambda n: (n not in path, -tree[n].reward, n))[:most]


def left_out(history: History, most: int) -> str:
    """A note about steps without details on the page; empty for none."""
    steps = len(history.state.tree) if history.state.has_tree else 0
    if steps <= most:
        return ""
    run = address(history.log)
    return (
        f"This page has code, prompts and answers of {most:,} of the {steps:,} steps: the path to "
        f"the best, and the fastest. For any other: maxcode show {run} --step N, or maxcode view. "
        f"More of them: maxcode report {run} --details N."
    )


def exchange(history: History, number: int) -> Document:
    """The prompt and answer of a step, and of its critique.

    Raises :class:`InputError` for a missing step.
    """
    last = len(history.state.tree) - 1
    if not 0 <= number <= last:
        raise InputError(f"run {history.log.run_id} has steps 0 to {last}, not {number}")
    origin, critic, log = history.origins.get(number), history.critics.get(number), history.log
    of_critic = _exchange(log, critic.prompt, critic.text, critic.call) if critic else None
    if origin is None:
        return {"prompt": "", "answer": "", "call": None, "critic": of_critic}
    return {**_exchange(log, origin.prompt, origin.answer, origin.call), "critic": of_critic}


def _exchange(log: RunLog, prompt: str, answer: str, call: Call | None) -> Document:
    facts = asdict(call) if call else {}
    facts.pop("request", None)
    texts = {"prompt": plain(log.text(prompt)), "answer": plain(log.text(answer))}
    return {**texts, "call": shown(facts) if call else None}


def shown(value: Any) -> JsonValue:
    """Details for people: with plain texts and finite numbers."""
    match value:
        case str():
            return plain(value)
        case float():
            return value if isfinite(value) else None
        case Mapping():
            return {plain(str(key)): shown(one) for key, one in value.items()}
        case list() | tuple():
            return [shown(one) for one in value]
    return value  # type: ignore[no-any-return]


def markup(path: str, text: str, coloured: bool = True) -> str:
    """The text as HTML by Pygments, which escapes it; classes name its parts."""
    text = plain(text)
    if not coloured or len(text) > _MAX_HIGHLIGHTED:
        return escape(text)
    pygments = import_module("pygments")  # it takes a while to load
    return str(pygments.highlight(text, _lexer(path), _formatter()))


@cache
def _formatter() -> Any:
    return import_module("pygments.formatters").HtmlFormatter(nowrap=True)


@lru_cache(maxsize=64)
def _lexer(path: str) -> Any:
    lexers = import_module("pygments.lexers")
    try:
        return lexers.get_lexer_for_filename(path, stripnl=False, ensurenl=False)
    except import_module("pygments.util").ClassNotFound:
        return lexers.TextLexer(stripnl=False, ensurenl=False)
