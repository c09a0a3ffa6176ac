"""Where runs are logged, beside the journal: `--log NAME:WHERE`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType

from maxcode.cli.console import standard_error
from maxcode.errors import InputError
from maxcode.observers import MLflow, RunLogger, TensorBoard, WandB

_LOGGERS: Mapping[str, tuple[str, Callable[[str], RunLogger]]] = MappingProxyType(
    {"tensorboard": ("DIR", TensorBoard), "wandb": ("PROJECT", WandB), "mlflow": ("URI", MLflow)}
)

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
    return _LOGGERS[name][1](where)


def absolute_logger(text: str) -> str:
    """The same place, named from whatever folder."""
    name, _, where = text.partition(":")
    return f"{name}:{Path(where).absolute()}" if name == "tensorboard" else text


@contextmanager
def run_loggers(texts: Iterable[str]) -> Iterator[list[RunLogger]]:
    """The loggers of those names. What goes wrong in them is told at the end, as warnings.

    Raises what :func:`make_logger` does.
    """
    made = {text: make_logger(text) for text in texts}
    problems: dict[str, list[str]] = {text: [] for text in made}
    for text, logger in made.items():
        logger.report = problems[text].append
    try:
        yield list(made.values())
    finally:
        for text, told in problems.items():
            for problem in told:
                standard_error().print(
                    f"warning: {problem}: maxcode export RUN --to {text}",
                    soft_wrap=True,
                    markup=False,
                )
