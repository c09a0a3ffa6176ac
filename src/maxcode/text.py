"""Numbers as people read them, no more digits than they can use; and texts made safe to show."""

from __future__ import annotations

import time

from maxcode.evaluation import Interval


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
    """A time that runs, in whole seconds: ``0:07``, ``2:05``, ``1:02:33``."""
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
    """What tokens cost, where the price of ``unpriced`` of them is unknown: ``$3.20 and more``."""
    if not unpriced:
        return dollars(paid)
    return f"{dollars(paid)} and more" if paid else "price unknown"


def when(timestamp: float) -> str:
    """A point in time, in the time zone of the machine: ``2026-01-31 14:05``."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(timestamp))


def counted(count: int, noun: str) -> str:
    """``1 test``, ``4 tests``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


_CONTROLS = [c for c in (*range(0x20), 0x7F) if chr(c) not in "\n\t"]
_PICTURES = {c: chr(0x2421 if c == 0x7F else 0x2400 + c) for c in _CONTROLS}
# These turn the order of what follows them: a comment may look like code, and code like a comment
# (N. Boucher and R. Anderson, "Trojan Source", 2021). The C1 controls have no pictures.
_NAMED = (
    *range(0x80, 0xA0),
    0x061C,
    0x200E,
    0x200F,
    *range(0x202A, 0x202F),
    *range(0x2066, 0x206A),
)
_VISIBLE = str.maketrans(_PICTURES | {c: f"<U+{c:04X}>" for c in (*_NAMED, 0x2028, 0x2029, 0xFEFF)})


def plain(text: str) -> str:
    """The text with controls and marks of direction made visible, and without half surrogates.

    A line that ends in CR LF ends in LF.
    """
    whole = (
        text
        if text.isascii()
        else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    )
    return whole.replace("\r\n", "\n").translate(_VISIBLE)


def cut(text: str, most: int) -> str:
    """The text in one line of at most so many characters."""
    line = plain(" ".join(text.split()))
    return line if len(line) <= most else f"{line[:most].rstrip()}..."
