"""Commands of maxcode in what it prints, but new names of commands that have moved."""

import re
import shlex
from typing import Any

from typer.main import get_command

from maxcode.cli.main import app

_PRINTED = re.compile(
    r"(?:^next +|^ {10}|(?<! is now): | · |&& )(maxcode [a-z]+[^\n]*?)(?= · |[;,] |[.)\x22]?,?$)",
    re.MULTILINE,
)


def printed(text: str) -> list[str]:
    """The commands in a text, as a reader would paste them."""
    return _PRINTED.findall(text)


def command_of(words: list[str]) -> tuple[Any, list[str]]:
    """The command named by the first words, and the words after them."""
    found: Any = get_command(app)
    while words and words[0] in getattr(found, "commands", {}):
        found, words = found.commands[words[0]], words[1:]
    return found, words


def check(text: str) -> None:
    """Each printed command has all that it needs, and nothing unknown; N stands for a number."""
    for line in printed(text):
        words = ["1" if word == "N" else word for word in shlex.split(line.partition(" < ")[0])[1:]]
        command, rest = command_of(words)
        command.make_context(command.name, rest)
