"""The page of a report: a self-contained HTML file, or the frame of a live view.

Foreign texts reach the page escaped, by jinja2 or Pygments, or in JSON, which the script inserts as
text. The content security policy allows only our own script.
"""

from __future__ import annotations

import gzip
import json
from base64 import b64encode
from collections.abc import Iterable, Iterator
from functools import cache, partial
from hashlib import sha256
from importlib.resources import files
from itertools import islice
from operator import attrgetter
from typing import Any, cast

import jinja2
from pydantic import JsonValue

from maxcode import text
from maxcode.report.details import markup, shown
from maxcode.report.document import RunDocument
from maxcode.report.figures import figures
from maxcode.report.listing import Document
from maxcode.search.summary import described, evidence, hardly_compared, noise, returned_step, tried


def page(
    run: RunDocument,
    details: Iterable[Document] = (),
    *,
    left_out: str = "",
    live: str | None = None,
) -> str:
    """The HTML of a run.

    ``details`` are its steps, in their order, and are read once; ``left_out`` names missing steps
    in words. With ``live`` the page is the frame of a live view: without details, and with the
    scripts in ``assets/``. It is the shown state of the run by its status and last event
    (``running 17``), from which the script sees progress. Raises
    :class:`~maxcode.errors.ToolError` without plotly.
    """
    shown = run_data(run, left_out)
    return rendered(
        "page",
        title=run.head.task,
        parts=shown["parts"],
        data=as_json(shown),
        chunks=chunks(details),
        live=live,
        **({} if live else _own_scripts()),
    )


def policy(*scripts: str) -> str:
    """The content security policy of a page in which just these scripts run, and nothing loads."""
    digests = (b64encode(sha256(script.encode()).digest()).decode() for script in scripts)
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests)
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; "
        "img-src data: blob:; connect-src 'none'; base-uri 'none'; form-action 'none'"
    )


def as_json(value: Any) -> str:
    """JSON in ASCII, safe inside a script element."""
    text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


@cache
def asset(name: str) -> str:
    """A file for pages: ``report.css``, ``diff.js``, ``report.js``, ``plotly.min.js``."""
    if name == "plotly.min.js":
        return files("plotly").joinpath("package_data", name).read_text("utf-8")
    return files("maxcode.report").joinpath("assets", name).read_text("utf-8")


@cache
def _own_scripts() -> dict[str, str]:
    """Styles and scripts of a self-contained page."""
    script, plotly = asset("diff.js") + asset("report.js"), asset("plotly.min.js")
    return {
        "style": asset("report.css"),
        "script": script,
        "plotly": packed(plotly),
        "policy": policy(script, plotly),
    }


_COLUMNS = (
    *("step", "parent", "status", "compared", "confirmed", "estimate", "best", "on_path"),
    *("duplicate_of", "summary", "tags"),
)
_PARTS = (*("headline", "benchmarks", "changes", "facts", "rises", "samples"),)
_SAID = (described, evidence, hardly_compared, noise, returned_step, tried)
_WORDS = ("factor", "duration", "price", "when", "quantity", "counted", "percent")


def run_data(run: RunDocument, left_out: str = "") -> dict[str, Any]:
    """A run for the script; steps are rows under ``columns``. Raises :class:`ToolError` without
    plotly."""
    data = {
        "id": run.head.run,
        "address": run.address,
        "best": run.result.best.id if run.result else None,
        "left_out": left_out,
        "columns": ["id", *_COLUMNS[1:]],
        "steps": list(map(attrgetter(*_COLUMNS), run.steps)),
        "worths": [
            {"path": one.path, "old": one.old, "now": one.now, "worth": one.worth}
            for one in run.changes
            if one.measured
        ],
        "figures": figures(run),
        "parts": {name: rendered(name, run=run, head=run.head) for name in _PARTS},
    }
    # A patch stays exact, for it is copied.
    return {**cast("dict[str, Any]", shown(data)), "patch": run.patch}


def rendered(name: str, **values: Any) -> str:
    """A template with its values."""
    return _environment().get_template(f"{name}.html.jinja").render(**values)


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("maxcode.report"),
        autoescape=True,
        finalize=text.plain_value,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update({name: getattr(text, name) for name in _WORDS})
    environment.filters["coloured_diff"] = partial(markup, "x.diff")
    environment.globals.update({one.__name__: one for one in _SAID})
    return environment


_SIZE = 25  # steps in a chunk: few, for one click unpacks it; many, for they share their prompts


def chunks(details: Iterable[Document]) -> Iterator[dict[str, Any]]:
    """The details of steps in packed JSON, some steps at a time; read as they are needed.

    The JSON has ``steps``, and ``prompts``, each once: steps and their critics name a prompt by its
    place there.
    """
    rest = iter(details)
    while some := list(islice(rest, _SIZE)):
        places: dict[JsonValue, int] = {}
        steps = [_with_places(step, places) for step in some]
        for step in steps:
            if isinstance(critic := step["critic"], dict):
                step["critic"] = _with_places(critic, places)
        whole = {"prompts": [*places], "steps": steps}
        text = packed(json.dumps(whole, allow_nan=False, separators=(",", ":")))
        yield {"first": some[0]["id"], "last": some[-1]["id"], "text": text}


def _with_places(asked: Document, places: dict[JsonValue, int]) -> Document:
    """A copy with the place of its prompt, which joins the known prompts."""
    return {**asked, "prompt": places.setdefault(asked["prompt"], len(places))}


def packed(text: str) -> str:
    """The text compressed by gzip, in base64."""
    return b64encode(gzip.compress(text.encode(), compresslevel=6, mtime=0)).decode()
