"""The page of a report: one file of HTML that needs nothing else, or the frame of a live view.

Whatever others wrote reaches the page escaped, by jinja2 or Pygments, or in JSON, from which the
script puts it in as text. The policy that browsers are told lets no script run but our own.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

from maxcode.report.document import RunDocument
from maxcode.report.packing import chunks, packed
from maxcode.report.parts import rendered, run_data, several_data
from maxcode.telling.steps import Document


def page(
    runs: Sequence[RunDocument],
    details: Mapping[str, Iterable[Document]] | None = None,
    *,
    known: Mapping[str, str] | None = None,
    title: str = "",
) -> str:
    """The HTML of some runs.

    ``details`` are the steps of each run by its id, in their order; they are read once. With
    ``known``, the page is the frame of a live view: there are none, and the scripts are not in the
    page but in ``assets/``. It is the state in which each run is shown, by its id: status and last
    event (``running 17``), so that the script sees whether it has gone on since.
    Raises :class:`~maxcode.errors.ToolError` without plotly.
    """
    every = [run_data(run) for run in runs]
    several = several_data(runs) if len(runs) > 1 else None
    own = {} if known is not None else _own_scripts()
    return rendered(
        "page",
        title=title or _title(runs),
        ids=[run.head.run_id for run in runs],
        first=every[0] if every else {"parts": {}, "figures": {}},
        several=several,
        data=as_json({"runs": every, "several": several}),
        chunks=(one for run, steps in (details or {}).items() for one in chunks(run, steps)),
        live=None if known is None else json.dumps(known),
        **own,
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
    """JSON in ASCII that may stand in a script element: nothing in it ends that."""
    text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


@cache
def asset(name: str) -> str:
    """A file that pages need: ``report.css``, ``report.js``, ``plotly.min.js``."""
    if name == "plotly.min.js":
        return files("plotly").joinpath("package_data", name).read_text("utf-8")
    return files("maxcode.report").joinpath("assets", name).read_text("utf-8")


@cache
def _own_scripts() -> dict[str, str]:
    """What a page holds that shall need no other file."""
    script, plotly = asset("report.js"), asset("plotly.min.js")
    return {
        "style": asset("report.css"),
        "script": script,
        "plotly": packed(plotly),
        "policy": policy(script, plotly),
    }


def _title(runs: Sequence[RunDocument]) -> str:
    tasks = list(dict.fromkeys(run.head.task for run in runs))
    return ", ".join(tasks[:3]) + (" and more" if len(tasks) > 3 else "")
