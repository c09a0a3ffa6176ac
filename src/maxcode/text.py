"""Numbers as people read them, no more digits than they can use; and texts made safe to show."""

from __future__ import annotations

import re
import time
from collections.abc import Collection
from difflib import get_close_matches

from maxcode.evaluation import Interval
from maxcode.sources import shown


def did_you_mean(name: str, known: Collection[str]) -> str:
    """A question with the known name that is spelled like ``name``; empty where there is none."""
    close = get_close_matches(name, known, n=1)
    return f" (did you mean {close[0]}?)" if close and close[0] != name else ""


def factor(value: float) -> str:
    """A speedup: ``1.07x``, ``12.3x``, ``140x``."""
    digits = 2 if value < 10 else 1 if value < 100 else 0
    return f"{value:.{digits}f}x"


def interval(ratio: Interval) -> str:
    """A speedup with its bounds: ``2.31x [2.27, 2.35]``."""
    low, high = (factor(bound).removesuffix("x") for bound in (ratio.low, ratio.high))
    return f"{factor(ratio.value)} [{low}, {high}]"


def duration(seconds: float) -> str:
    """A time: ``8.21 ms``, ``1.25 s``, ``2 min 5 s``, ``1 h 3 min``."""
    if seconds < 0.0009995:
        return f"{seconds * 1e6:.3g} us"
    if seconds < 0.9995:
        return f"{seconds * 1e3:.3g} ms"
    if seconds < 59.95:
        return f"{seconds:.3g} s"
    whole = round(seconds)
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def clock(seconds: float) -> str:
    """A running time, in whole seconds: ``0:07``, ``2:05``, ``1:02:33``."""
    whole = int(seconds)
    hours, minutes, rest = whole // 3600, whole % 3600 // 60, whole % 60
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def size(count: int) -> str:
    """An amount of memory: ``312 B``, ``1.2 kB``, ``48 MB``."""
    amount = float(count)
    for unit in ("B", "kB", "MB"):
        if amount < 999.5:
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.3g} {unit}"
        amount /= 1000
    return f"{amount:.3g} GB"


def quantity(value: float, unit: str) -> str:
    """A reading of a meter: ``1.25 s``, ``48 MB``, ``1.2e+09 instructions``."""
    if unit == "s":
        return duration(value)
    return size(round(value)) if unit == "B" else f"{value:.4g} {unit}"


def percent(share: float) -> str:
    """A share: ``0.8 %``, ``12 %``."""
    return f"{100 * share:.2g} %" if share < 0.0995 else f"{100 * share:.0f} %"


def dollars(amount: float) -> str:
    """Money: ``$0.42``; four digits where a cent is too coarse."""
    return f"${amount:.4f}" if 0 < amount < 0.1 else f"${amount:.2f}"


def price(paid: float, unpriced: int | float) -> str:
    """Cost of tokens, where ``unpriced`` of them have no known price: ``$3.20 and more``."""
    if not unpriced:
        return dollars(paid)
    return f"{dollars(paid)} and more" if paid else "price unknown"


def when(timestamp: float) -> str:
    """A point in time, in the time zone of the machine: ``2026-01-31 14:05``."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(timestamp))


def counted(count: int, noun: str) -> str:
    """``1 test``, ``4 tests``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


# What is not shown, or changes what is shown around it: a comment may look like code, and code like
# a comment (N. Boucher and R. Anderson, "Trojan Source", 2021); a terminal obeys escape sequences;
# letters that take no room say to a model what people do not see. Line feed and tab are shown.
_UNSEEN = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls
    "\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\uffa0"  # fillers
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff0-\ufffb"  # widths, lines, directions
    "\ue000-\uf8ff\ufe00-\ufe0d\ufdd0-\ufdef\ufffe\uffff"  # of no fixed meaning; variants
    "\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U0010ffff"
)
# Joiners are seen by what they join: Arabic and Indic letters, and the parts of an emoji.
_LETTERS, _SIGNS = "\u0600-\u07ff\u0900-\u0dff", "\u2190-\u2bff\ufe0f\U0001f000-\U0001faff"
_JOINING = re.compile(
    f"(?<=[{_LETTERS}])[\u200c\u200d](?=[{_LETTERS}])|(?<=[{_SIGNS}])\u200d(?=[{_SIGNS}])"
)
_MARKS = (
    "[\u0300-\u034e\u0350-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
)
_MOST_MARKS = 4  # on a letter; no script that is written with these has more
_HIDDEN = re.compile(f"[{_UNSEEN}]|(?<={_MARKS}{{{_MOST_MARKS}}}){_MARKS}")


def plain(text: str) -> str:
    """Text as it may be shown to people: unseen characters are made visible.

    Controls become their pictures, as in ␛; marks of direction, line separators, characters without
    width and characters without a meaning of their own their number, as in ``<U+202E>``, and so do
    accents beyond four on a letter. Half surrogates are replaced; line ends and the bytes of source
    text are as :func:`maxcode.sources.shown` has them. All else stays: letters of any script,
    accents, emoji, tabs.
    """
    whole = (
        text
        if text.isascii()
        else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    )
    return _HIDDEN.sub(_picture, shown(whole))


def one_line(text: str) -> str:
    """Text as of :func:`plain` for a single line, such as a name: line ends are shown, too."""
    return plain(text.replace("\r\n", "␍␊")).replace("\n", "␊")


def in_ascii(text: str) -> str:
    """Text with "?" for each character that is not ASCII or is not printed."""
    return "".join(c if c.isascii() and c.isprintable() else "?" for c in text)


def plain_value(value: object) -> object:
    """Value for a template: a text as people may see it; markup and all else as it is."""
    return plain(value) if type(value) is str else value


def unseen(text: str) -> list[str]:
    """Characters of a text made visible by :func:`plain`, each once: ``["␛", "<U+202E>"]``."""
    found = [(match[0], _picture(match)) for match in _HIDDEN.finditer(shown(text))]
    return list(dict.fromkeys(picture for one, picture in found if picture != one))


def _picture(found: re.Match[str]) -> str:
    """Visible form of an unseen character; a joiner between its letters stays."""
    if _JOINING.match(found.string, found.start()):
        return found[0]
    code = ord(found[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else f"<U+{code:04X}>"


def cut(text: str, most: int) -> str:
    """The text in one line of at most so many characters."""
    line = plain(" ".join(text.split()))
    return line if len(line) <= most else f"{line[:most].rstrip()}..."
