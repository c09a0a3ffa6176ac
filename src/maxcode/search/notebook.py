"""A result as HTML for notebooks: headline, facts and diff, without any script."""

from __future__ import annotations

from collections.abc import Sequence

from jinja2 import Environment, PackageLoader

from maxcode.evaluation import Interval
from maxcode.text import counted, factor, plain, plain_value

_MAX_LINES = 400  # of a diff


def html(
    task: str,
    speedup: Interval | None,
    elsewhere: str,
    nothing: str,
    facts: Sequence[tuple[str, str]],
    diff: str,
) -> str:
    """HTML of a result; ``nothing`` is the headline without a ``speedup``.

    ``elsewhere`` gives the speedup on other inputs, if known.
    """
    environment = Environment(
        loader=PackageLoader("maxcode.search"),
        autoescape=True,
        trim_blocks=True,
        finalize=plain_value,
    )
    lines, bounds = plain(diff).splitlines(), ""
    if speedup:
        low, high = factor(speedup.low), factor(speedup.high)
        bounds = f"{100 * speedup.level:g}% interval {low} to {high}"
    return environment.get_template("notebook.html.jinja").render(
        task=task,
        speedup=factor(speedup.value) if speedup else "",
        elsewhere=f" on the tests given, {elsewhere}" if elsewhere else "",
        bounds=bounds,
        facts=facts,
        nothing=nothing,
        diff=[(_kind(line), line) for line in lines[:_MAX_LINES]],
        more=counted(len(lines) - _MAX_LINES, "more line") if len(lines) > _MAX_LINES else "",
    )


def _kind(line: str) -> str:
    """Kind of a line of a unified diff, as the style sheet calls it."""
    if line.startswith(("---", "+++", "@@")):
        return "mx-place"
    return {"+": "mx-added", "-": "mx-removed"}.get(line[:1], "mx-kept")
