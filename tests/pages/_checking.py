"""Checks the code of pages without running it, which takes no time."""

from __future__ import annotations

import json
import shutil
import subprocess
import tomllib
from collections.abc import Callable, Iterator
from typing import Any

import typer
from tests.pages._page import Block, blocks, commands
from typer.main import get_command

from maxcode.cli.main import app

_MAXCODE: Any = get_command(app)
_PARSERS: dict[str, Callable[[str], object]] = {
    "python": lambda code: compile(code, "block", "exec"),
    "toml": tomllib.loads,
    "json": json.loads,
}
_UsageError: Any = typer.BadParameter.__base__  # of the click that typer has within, or beside it


def page_errors(text: str) -> list[str]:
    """Errors in a page's code: of syntax, and options that maxcode does not have."""
    return [f"line {block.line}: {error}" for block in blocks(text) for error in _errors(block)]


def _errors(block: Block) -> Iterator[str]:
    try:
        _PARSERS.get(block.language, str)(block.code)
    except (SyntaxError, ValueError) as error:  # ValueError: of TOML and JSON
        yield str(error)
    if block.language == "bash":
        bash = shutil.which("bash") or "/bin/bash"
        read = subprocess.run(
            [bash, "-n"], input=block.code, stderr=subprocess.PIPE, text=True, check=False
        )
        if read.stderr:
            yield read.stderr
        yield from _command_errors(block.code)


def _command_errors(code: str) -> Iterator[str]:
    for words in commands(code):
        start = next(n for n, word in enumerate(words) if word.endswith("maxcode"))
        try:
            _parse(_MAXCODE, words[start + 1 :])
        except _UsageError as error:
            yield f"{' '.join(words)}: {error}"


def _parse(command: Any, words: list[str]) -> None:
    """Take the command's options out of the words. Raises an error for one it does not have."""
    context = command.context_class(command)
    _, left, _ = command.make_parser(context).parse_args(words)
    if left and hasattr(command, "resolve_command"):
        _, following, words = command.resolve_command(context, left)
        _parse(following, words)
