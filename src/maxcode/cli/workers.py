"""The option `--workers`: lanes of other machines to judge on, and the list of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

from maxcode.cli.console import plain_table, print_document, say, standard_output
from maxcode.errors import InputError
from maxcode.executors.ray.lanes import RayLanes
from maxcode.text import counted

_WORDS = {"aside": "set aside"}
_WORKERS = re.compile(
    r"ray(?::(?P<lanes>[1-9]\d*))?|(?P<address>(?:ray://|(?!ray:))(?:[\w.-]+|\[[0-9a-fA-F:.]+\]):\d+)"
)


@contextmanager
def lanes_of(workers: str | None) -> Iterator[RayLanes | None]:
    """The lanes of ``--workers``; None for none. Their failures are printed."""
    if workers is None:
        yield None
        return
    address, limit = parsed(workers)
    with RayLanes(address, limit) as lanes:
        try:
            yield lanes
        finally:
            for note in lanes.notes:
                say(f"note: {note}")


def line_of(lanes: RayLanes) -> str:
    """The states of all lanes, in a line."""
    states = lanes.states()
    nodes = [one.facts.node for one in states if one.state in ("free", "busy")]
    rest = Counter(one.state for one in states if one.state != "free")
    parts = [f"lanes: {len(nodes)} on {counted(len(set(nodes)), 'node')}"]
    parts += [f"{n} {_WORDS.get(state, state)}" for state, n in sorted(rest.items())]
    return ", ".join(parts)


def parsed(workers: str) -> tuple[str | None, int | None]:
    """The address of a cluster, None for this machine's, and how many lanes to use at most."""
    if match := _WORKERS.fullmatch(workers):
        return match["address"], int(match["lanes"]) if match["lanes"] else None
    raise InputError(
        f"--workers {workers}: write ray (the cluster of this machine, or one that is started "
        "here), ray:N for at most N lanes, HOST:PORT, or ray://HOST:PORT"
    )


def print_lanes(workers: str, *, json: bool) -> None:
    """Print the lanes of ``--workers``."""
    address, limit = parsed(workers)
    with RayLanes(address, limit) as lanes:
        lanes.settle()
        states, notes, line = lanes.states(), lanes.notes, line_of(lanes)
    rows: list[Any] = [
        {"name": one.name, "state": one.state, "problem": one.problem, **asdict(one.facts)}
        for one in states
    ]
    if json:
        print_document({"lanes": rows, "notes": [*notes]})
        return
    names = ("name", "state", "processors", "kind", "problem")
    shown = ([str(row[name]) for name in names] for row in rows)
    standard_output().print(plain_table(names, shown), line, sep="")
