"""Source text: bytes of a file as text and back, and the form a file keeps when it changes.

Not all sources are UTF-8: one letter of a name may be Latin-1. A byte outside UTF-8 stands in the
text as a *raw character*, of the private use of plane 16, U+10FE00 plus the byte. So the text is
Unicode, for journals, parsers and models, and becomes the same bytes again. It is shown as
Windows-1252 has it, which holds Latin-1.
"""

from __future__ import annotations

import io
import re
from difflib import SequenceMatcher

_RAW = 0x10FE00
_RAWS = re.compile("[\U0010fe80-\U0010feff]")
_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")  # which no text holds, but UTF-16 does
_FROM_ESCAPED = {0xDC00 + byte: _RAW + byte for byte in range(0x80, 0x100)}
_ESCAPED = {raw: escaped for escaped, raw in _FROM_ESCAPED.items()}
_SHOWN = {
    _RAW + byte: letter
    for byte in range(0x80, 0x100)
    if (letter := bytes([byte]).decode("windows-1252", "ignore"))
}
_BYTES = {ord(letter): raw for raw, letter in _SHOWN.items()}
_END = re.compile(r"\r?\n\Z")
_MARK = "\ufeff"  # begins some files that are UTF-8


def from_bytes(data: bytes) -> str:
    """Text of a file. Raises ``UnicodeDecodeError`` for UTF-16 and binary data."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        if _CONTROLS.search(data):
            raise
        text = data.decode("utf-8", "surrogateescape")
    if text.isascii():
        return text
    text = _RAWS.sub(lambda one: one[0].encode().decode("ascii", "surrogateescape"), text)
    return text.translate(_FROM_ESCAPED)


def to_bytes(text: str) -> bytes:
    """Content of the file with this text."""
    if text.isascii() or not _RAWS.search(text):
        return text.encode()
    return text.translate(_ESCAPED).encode("utf-8", "surrogateescape")


def shown(text: str) -> str:
    """The text as people and models are shown it: lines end in LF, raw characters are letters."""
    text = text.removeprefix(_MARK).replace("\r\n", "\n")
    return text if text.isascii() else _RAWS.sub(lambda one: one[0].translate(_SHOWN), text)


def in_form_of(before: str, text: str) -> str:
    """New text of a file in the form of the text ``before``: its line ends, encoding and mark.

    In a file of several line ends or encodings, lines shown alike stay as they were; new lines get
    the more frequent line end, and letters in UTF-8.
    """
    raw = set(_RAWS.findall(before))
    if not raw and "\r" not in before and "\r" not in text and not before.startswith(_MARK):
        return text
    old, new = io.StringIO(before).readlines(), io.StringIO(text.removeprefix(_MARK)).readlines()
    ends = [_end(line) for line in old if line.endswith("\n")]
    end = max(("\n", "\r\n"), key=ends.count)
    others = {one for one in before.removeprefix(_MARK) if not one.isascii()} - raw
    letters = _BYTES if raw and not others else {}
    kept: dict[int, str] = {}
    if len(set(ends)) > 1 or (raw and others):  # lines do not tell their form; slow for long files
        ours, theirs = ([shown(line).rstrip("\n") for line in lines] for lines in (old, new))
        for i, j, count in SequenceMatcher(None, ours, theirs, False).get_matching_blocks():
            kept.update((j + k, old[i + k]) for k in range(count))
    made = [_MARK if before.startswith(_MARK) else ""]
    for number, line in enumerate(new):
        own = kept.get(number, "").removeprefix(_MARK)
        body = _END.sub("", own or line.translate(letters))
        ended = (_end(own) or end) if line.endswith("\n") else ""
        made.append(f"{body}{ended}")
    return "".join(made)


def _end(line: str) -> str:
    found = _END.search(line)
    return found[0] if found else ""
