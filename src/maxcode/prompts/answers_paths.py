"""Which file of a program a model means."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePosixPath

_PATH = r"[\w.+~/\\:-]*\w\.[A-Za-z]\w{0,4}"
_LABEL = re.compile(
    r"(?:new |updated |modified )?(?:file ?name|file ?path|file|path)\b", re.IGNORECASE
)
_REMARK = re.compile(r"\([^()]*\)$")
_ATTRIBUTE = re.compile(r"\b(?:title|filename|file|path|name)\s*=\s*[\"']?([^\"'\s>}]+)", re.I)
_MENTIONED = re.compile(rf"(?<![\w/.]){_PATH}")


def named(line: str) -> str:
    """The path that a line names and nothing else: "### `src/a.h`:", "// a.h"; "" if none."""
    if len(line) > 200:
        return ""
    if found := _ATTRIBUTE.search(line):
        return found[1]
    text = line.strip().lstrip("#*>`[\"'!=- \t")
    text = text.lstrip("/*= -") if text.startswith(("//", "/*")) else text
    text = _LABEL.sub("", text, count=1).lstrip("*:`\"' \t")
    text = _REMARK.sub("", text.rstrip("*/:`\"'=- \t")).rstrip("*:`\"'] \t")
    return text if re.fullmatch(_PATH, text) else ""


def mentioned(line: str, files: Iterable[str]) -> list[str]:
    """Those of ``files`` that a sentence speaks of, each once."""
    found = dict.fromkeys(resolved(path, files) for path in _MENTIONED.findall(line[-200:]))
    return [path for path in found if path]


def resolved(path: str, files: Iterable[str]) -> str:
    """The one of ``files`` that a path means ("./a.cpp", "src/a.cpp" for "a.cpp"); "" if none."""
    if leaves_folder(path):
        return ""
    plain = str(PurePosixPath(path.replace("\\", "/")))
    if plain in files:
        return plain
    ends = [file for file in files if file.endswith(f"/{plain}") or plain.endswith(f"/{file}")]
    return ends[0] if len(ends) == 1 else ""


def leaves_folder(path: str) -> bool:
    """Whether a path is absolute or leads out of the program's folder."""
    plain = path.replace("\\", "/")
    return plain.startswith(("/", "~")) or ":" in plain or ".." in plain.split("/")
