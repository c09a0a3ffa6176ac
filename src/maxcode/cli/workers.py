"""The option `--workers`: lanes of other machines to judge on, and the list of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from pydantic import JsonValue

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
    """The lanes of ``--workers``; None for none. Their failures are printed.

    Raises :class:`InputError`, :class:`~maxcode.errors.ToolError`.
    """
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
        states, notes = lanes.states(), lanes.notes
    if json:
        rows: list[JsonValue] = [
            {
                "name": one.name,
                "node": one.facts.node,
                "state": one.state,
                "processors": [*one.facts.processors],
                "kind": one.facts.kind,
                "problem": one.problem,
            }
            for one in states
        ]
        print_document({"lanes": rows, "notes": [*notes]})
        return
    table = plain_table("lane", "state", "processors", "kind")
    for state in states:
        some = ", ".join(map(str, state.facts.processors))
        table.add_row(state.name, state.state, some, state.problem or state.facts.kind)
    console = standard_output()
    console.print(table)
    usable = Counter(state.facts.node for state in states if state.state == "free")
    console.print(
        f"{counted(usable.total(), 'lane')} on {counted(len(usable), 'node')} can be used"
    )
