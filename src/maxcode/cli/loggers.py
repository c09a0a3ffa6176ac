"""Run loggers of ``--log`` and ``store export --to``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from maxcode.cli.console import command, say
from maxcode.cli.lookup import find_class
from maxcode.errors import InputError
from maxcode.redaction import without_password
from maxcode.report.loggers import RunLogger


def make_logger(text: str, others: Iterable[str] = ()) -> RunLogger:
    """The logger named by ``text``, as in ``tensorboard:DIR``.

    ``others`` are further known names, for the error. Raises :class:`InputError`,
    :class:`~maxcode.errors.ToolError` for a missing library.
    """
    plugin, where = find_class(text, "run logger", tuple(others))
    if not where:
        raise InputError(f"cannot log to {text!r}: say where, as in {text.rstrip(':')}:WHERE")
    if re.search("//[^/]*:[^/]*@", where) or without_password(where) != where:
        raise InputError(
            "where a run is logged is kept with it and shown, so no password may be in it; give "
            "MLflow's by MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD, or a database's "
            "as its driver reads it, such as from ~/.pgpass"
        )
    logger: RunLogger = plugin(where)
    return logger


def absolute_logger(text: str) -> str:
    """This logger with an absolute place, valid from any folder."""
    plugin, where = find_class(text, "run logger")
    before = text.removesuffix(where)
    return f"{before}{plugin.absolute(where)}" if where else text  # type: ignore[attr-defined]


@contextmanager
def run_loggers(texts: Iterable[str], store: str | None = None) -> Iterator[list[RunLogger]]:
    """The loggers of these names for a run of the store.

    Their failures are printed at the end, as warnings. Raises the errors of :func:`make_logger`.
    """
    made = {text: make_logger(text) for text in texts}
    problems: list[str] = []

    def noting(text: str) -> Callable[[str], None]:
        again = command("store", "export", "last", "--to", text, store=store)
        return lambda problem: problems.append(f"{problem}: {again}")

    for text, logger in made.items():
        logger.report = noting(text)
    try:
        yield list(made.values())
    finally:
        for problem in problems:
            say(f"warning: {problem}")
