"""C++ declarations added by some rewrites, kept as real header files."""

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True)
class Support:
    """Declarations to place below a program's includes, and their headers."""

    headers: tuple[str, ...]
    code: str


@cache
def load(name: str) -> Support:
    """Return the support code of the file `name`.hpp beside this module."""
    text = files(__name__).joinpath(f"{name}.hpp").read_text(encoding="utf-8")
    headers = tuple(re.findall(r"^#include <(.+)>$", text, re.MULTILINE))
    code = re.sub(r"^#include <.+>\n", "", text, flags=re.MULTILINE).strip()
    return Support(headers, code)


@cache
def all_codes() -> tuple[str, ...]:
    """Return the code of every file beside this module."""
    names = sorted(path.name for path in files(__name__).iterdir() if path.name.endswith(".hpp"))
    return tuple(load(name.removesuffix(".hpp")).code for name in names)
