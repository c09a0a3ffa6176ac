"""The command `export`: runs as tables in files, or logged elsewhere."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from types import MappingProxyType

from rich.progress import track

from maxcode.cli.commands import Export, Merge
from maxcode.cli.console import standard_error
from maxcode.errors import InputError, JournalError, ToolError
from maxcode.journal.journal import Journal, RunLog
from maxcode.journal.merge import merge as merge_stores
from maxcode.report.loggers import RunLogger
from maxcode.report.mlflow import MLflow, absolute_uri
from maxcode.report.tables import FORMATS, check_export
from maxcode.report.tables import export as write_tables
from maxcode.report.tensorboard import TensorBoard
from maxcode.report.wandb import WandB
from maxcode.text import counted


def export(request: Export) -> int:
    """Export runs; gives the exit code."""
    logged = names_logger(request.to)
    if not logged and request.to not in FORMATS:
        raise InputError(f"cannot export to {request.to!r}; known: {', '.join(FORMATS)}, {KNOWN}")
    logger = make_logger(request.to) if logged else None
    if logger and (request.out or request.texts or request.force):
        raise InputError(f"--out, --texts and --force are for files, not for --to {request.to}")
    if not logger:
        check_export(_folder(request), request.to, force=request.force)
    with Journal.open(request.store, create=False) as journal:
        logs = _wanted(journal, request)
        if logger:
            _log(logs, logger, request)
            return 0
        counts = write_tables(
            _tracked(logs), _folder(request), request.to, texts=request.texts, force=request.force
        )
    told = ", ".join(f"{table} {rows}" for table, rows in counts.items())
    standard_error().print(f"{request.out}: {told}", soft_wrap=True)
    return 0


def _log(logs: list[RunLog], logger: RunLogger, request: Export) -> None:
    """Log runs elsewhere; of a whole store those that were cut off at their beginning are left out.

    Raises :class:`ToolError` where that fails, since the next runs would fail, too.
    """
    logged, problems = 0, []
    for log in _tracked(logs):
        try:
            logger.replay(log)
        except JournalError as error:
            if not request.every:
                raise
            problems.append(f"not logged: {error}")
        except Exception as error:
            raise ToolError(
                f"cannot log run {log.run_id} to {request.to}: {type(error).__name__}: {error} "
                f"({logged} of {counted(len(logs), 'run')} logged)"
            ) from error
        else:
            logged += 1
    for line in (*problems, f"{counted(logged, 'run')} logged to {request.to}"):
        standard_error().print(line, soft_wrap=True)


def _folder(request: Export) -> str:
    if request.out is None:
        raise InputError(f"--to {request.to} writes files; say in which folder with --out DIR")
    return request.out


def _wanted(journal: Journal, request: Export) -> list[RunLog]:
    """The runs, each once; of a whole store the oldest first."""
    if request.every == bool(request.run_ids):
        raise InputError("name the runs to export, or give --all for those of the whole store")
    names = reversed(journal.run_ids()) if request.every else request.run_ids or ()
    return list({log.run_id: log for log in map(journal.run, names)}.values())


def _tracked(logs: list[RunLog]) -> Iterable[RunLog]:
    """The same; a screen shows how many are done."""
    console = standard_error()
    return track(logs, "runs", console=console, transient=True, disable=not console.is_terminal)


def merge(request: Merge) -> int:
    """Copy the runs, and say how many of each store; gives the exit code."""
    messages = standard_error()
    if request.store in request.stores:
        raise InputError(f"{request.store} is where runs are copied to, so not one to copy from")
    for where in request.stores:  # before anything is copied
        Journal.open(where, create=False).close()
    forked = 0
    with Journal.open(request.store) as target:
        for where in request.stores:
            with Journal.open(where, create=False) as source:
                runs = list(merge_stores(source, target))
            found = Counter(one.copied for one in runs)
            forked += found["forked"]
            for one in runs:
                if one.copied == "forked":
                    messages.print(
                        f"run {one.run_id} went on in {where} and in {target.store.where}: it was "
                        "left in each as it is, and comparisons count what their own store holds",
                        soft_wrap=True,
                        style="yellow",
                    )
            messages.print(
                f"{where}: {counted(found.total(), 'run')}, of which {found['new']} are new here, "
                f"{found['longer']} went on, and {found['known']} were here already",
                soft_wrap=True,
            )
    return 1 if forked else 0


_LOGGERS: Mapping[str, tuple[str, Callable[[str], RunLogger]]] = MappingProxyType(
    {"tensorboard": ("DIR", TensorBoard), "wandb": ("PROJECT", WandB), "mlflow": ("URI", MLflow)}
)

_PATIENCE = 30.0  # seconds, for all loggers together

KNOWN = ", ".join(f"{name}:{where}" for name, (where, _) in _LOGGERS.items())


def names_logger(text: str) -> bool:
    """Whether ``text`` begins with the name of a logger."""
    return text.partition(":")[0] in _LOGGERS


def make_logger(text: str) -> RunLogger:
    """The logger that ``text`` names, as in ``tensorboard:DIR``.

    Raises :class:`InputError`, :class:`~maxcode.errors.ToolError` where its library is missing.
    """
    name, _, where = text.partition(":")
    if name not in _LOGGERS or not where:
        raise InputError(f"cannot log to {text!r}; known: {KNOWN}")
    if re.search("//[^/]*:[^/]*@", where):
        raise InputError(
            "where a run is logged is kept with it and shown, so no password may be in it; give "
            "MLflow's by MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD, or a database's "
            "as its driver reads it, such as from ~/.pgpass"
        )
    return _LOGGERS[name][1](where)


def absolute_logger(text: str) -> str:
    """The same place, named from whatever folder."""
    name, _, where = text.partition(":")
    if name == "tensorboard":
        return f"{name}:{Path(where).absolute()}"
    return f"{name}:{absolute_uri(where)}" if name == "mlflow" else text


@contextmanager
def run_loggers(texts: Iterable[str]) -> Iterator[list[RunLogger]]:
    """The loggers of those names. What goes wrong in them is told at the end, as warnings.

    Raises what :func:`make_logger` does.
    """
    made = {text: make_logger(text) for text in texts}
    problems: dict[str, list[str]] = {text: [] for text in made}
    for text, logger in made.items():
        logger.report = problems[text].append
        logger.patience = 0  # the search's result is shown first
    try:
        yield list(made.values())
    finally:
        if made:
            _wait(made)
        for text, told in problems.items():
            for problem in told:
                standard_error().print(
                    f"warning: {problem}: maxcode export RUN --to {text}",
                    soft_wrap=True,
                    markup=False,
                )


def _wait(loggers: Mapping[str, RunLogger]) -> None:
    """Wait for what is not logged yet; Ctrl-C ends the wait, not the program."""
    until = monotonic() + _PATIENCE
    try:
        with standard_error().status("logging the rest; Ctrl-C to leave it"):
            for logger in loggers.values():
                logger.wait(until - monotonic())
    except KeyboardInterrupt:
        for logger in loggers.values():
            logger.wait(0)
