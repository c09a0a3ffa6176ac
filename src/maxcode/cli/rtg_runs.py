"""The runs that a command of `maxcode rtg` reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

from rich.progress import track

from maxcode.cli.console import standard_error
from maxcode.errors import RunNotFoundError
from maxcode.journal import Journal, RunLog


@contextmanager
def opened(stores: Sequence[str] | None) -> Iterator[list[Journal]]:
    """The stores that were named, or the user's own, open."""
    with ExitStack() as stack:
        names: Sequence[str | None] = stores or [None]
        yield [stack.enter_context(Journal.open(name, create=False)) for name in names]


def stored_runs(journals: Sequence[Journal], wanted: Sequence[str] = ()) -> Iterator[RunLog]:
    """The runs of open stores, oldest first, each once; with ``wanted`` those whose ids begin so.

    A screen shows how many are done. Raises :class:`~maxcode.errors.RunNotFoundError` before the
    first where no id begins so.
    """
    found = {
        run_id: journal.store
        for journal in journals
        for run_id in reversed(journal.run_ids())
        if not wanted or run_id.startswith(tuple(wanted))
    }
    for start in wanted:
        if not any(run_id.startswith(start) for run_id in found):
            where = ", ".join(journal.store.where for journal in journals)
            raise RunNotFoundError(f"no run begins with {start!r} in {where}")
    console = standard_error()
    bar = track(
        found.items(), "runs", console=console, transient=True, disable=not console.is_terminal
    )
    for run_id, store in bar:
        yield RunLog(store, run_id)
