"""Where runs are logged, beside the journal: `--log NAME:WHERE`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from types import MappingProxyType

from maxcode.cli.console import standard_error
from maxcode.errors import InputError
from maxcode.observers import MLflow, RunLogger, TensorBoard, WandB
from maxcode.observers.mlflow import absolute_uri

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
