"""What the script of a page is given of runs: figures, steps, and parts of the page as HTML.

jinja2 escapes all that is put into the parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from functools import cache
from operator import attrgetter
from statistics import median
from typing import Any

import jinja2

from maxcode.report.document import RunDocument, StepLine
from maxcode.report.figures import comparison, figures
from maxcode.telling import words

_COLUMNS = [field.name for field in fields(StepLine)]
_PARTS = ("headline", "facts", "rises", "spending", "samples", "again")
_WORDS = ("factor", "duration", "price", "when", "quantity", "counted")


def run_data(run: RunDocument) -> dict[str, Any]:
    """Of one run; steps as rows under ``columns``. Raises :class:`ToolError` without plotly."""
    found = run.head.found
    return {
        "id": run.head.run_id,
        "best": found.best if found else None,
        "columns": _COLUMNS,
        "steps": list(map(attrgetter(*_COLUMNS), run.steps)),
        "figures": figures(run),
        "parts": {name: rendered(name, run=run, head=run.head, found=found) for name in _PARTS},
    }


def several_data(runs: Sequence[RunDocument]) -> dict[str, Any]:
    """Of several runs side by side; without figures if they are of different tasks."""
    comparable = len({run.head.task_digest for run in runs}) == 1
    table = rendered(
        "several",
        heads=[run.head for run in runs],
        comparable=comparable,
        machines=len({run.head.machine for run in runs if run.head.machine}),
    )
    return {"figures": comparison(runs) if comparable else {}, "parts": {"several": table}}


def rendered(name: str, **values: Any) -> str:
    """A template with its values."""
    return _environment().get_template(f"{name}.html.jinja").render(**values)


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("maxcode.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update({name: getattr(words, name) for name in _WORDS})
    environment.filters["median"] = median
    return environment
