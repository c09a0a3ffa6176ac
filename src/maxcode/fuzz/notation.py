"""Notations of numbers: with decimals, leading zeros, hexadecimal, as dates and times."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache
from typing import ClassVar

_LONGEST = 40  # letters of a number
_PLAIN = re.compile(rf"-?(0|[1-9][0-9]{{0,{_LONGEST}}})")
_DAYS = ("%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d/%b/%Y")
_REAL = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.([0-9]+))?")
_PADDED = re.compile(r"[0-9]{1,18}")
_HEXADECIMAL = re.compile(r"[0-9a-f]{2,15}|[0-9A-F]{2,15}")
_MIN_HEXADECIMAL = 8  # different ones, as words may have such letters by chance
_MINUTES = len("23:59")
_LATEST = {_MINUTES: 24 * 60, len("23:59:59"): 24 * 3600}  # in the last unit: the end of the day

DAY = r"\d{4}([-/.])\d\d\1\d\d|\d\d([-/.])(?:\d\d|[A-Z][a-z]{2})\2\d{4}"
TIME = r"\d\d:[0-5]\d(?::[0-5]\d)?"
_DAY, _TIME = re.compile(DAY), re.compile(TIME)


@dataclass(frozen=True, slots=True)
class Notation:
    """Notation of a whole number: "real", "date", "time", "padded" or "hexadecimal" (``form``).

    A real number is a whole number of units of its last decimal, with ``width`` decimals, all of
    them written if ``fixed``. ``day`` is the format of a date.
    """

    form: str = ""
    width: int = 0
    day: str = ""
    capital: bool = False
    fixed: bool = False

    PLAIN: ClassVar[Notation]

    @classmethod
    def of(cls, values: Sequence[str]) -> Notation | None:
        """The common notation of all values; None for plain integers or none in common."""
        reals = [_REAL.fullmatch(value) for value in values]
        decimals = {len(real[1] or "") for real in reals if real}
        if all(reals) and max(decimals) > 0:
            return cls("real", max(decimals), fixed=len(decimals) == 1)
        width = len(values[0])
        if any(len(value) != width for value in values):
            return None
        options: list[Notation] = []
        if _DAY.fullmatch(values[0]):
            options = [cls("date", day=day) for day in _DAYS]
        elif _TIME.fullmatch(values[0]):
            options = [cls("time", width)]
        elif all(map(_PADDED.fullmatch, values)):
            options = [cls("padded", width)]
        elif all(map(_HEXADECIMAL.fullmatch, values)) and _hexadecimal(values):
            options = [cls("hexadecimal", width, capital=any(map(str.isupper, values)))]
        fitting = (one for one in options if all(one.number(value) is not None for value in values))
        return next(fitting, None)

    @property
    def name(self) -> str:
        """Name of the notation, for people."""
        return "integer" if self.form in {"", "padded"} else self.form

    @property
    def unit(self) -> int:
        """Number of units in 1."""
        return 10**self.width if self.form == "real" else 1

    @property
    def limits(self) -> tuple[int, int] | None:
        """Usual least and greatest number of the notation."""
        return {
            "date": (date(1900, 1, 1).toordinal(), date(2100, 12, 31).toordinal()),
            "time": (0, _LATEST.get(self.width, 0)),
            "padded": (0, 10**self.width - 1),
            "hexadecimal": (0, 16**self.width - 1),
        }.get(self.form)

    def number(self, text: str) -> int | None:
        """The number of a text; None for text in another notation."""
        if not self.form:
            return int(text) if _PLAIN.fullmatch(text) else None
        if self.form == "real":
            return self._units(text)
        return _read(self, text)

    def _units(self, text: str) -> int | None:
        whole, _, decimals = text.partition(".")
        fits = len(decimals) == self.width or (not self.fixed and len(decimals) < self.width)
        read = fits and _REAL.fullmatch(text) is not None
        return int(whole + decimals.ljust(self.width, "0")) if read else None

    def _number(self, text: str) -> int:
        if self.form == "date":
            return datetime.strptime(text, self.day).toordinal()
        if self.form == "time":
            head, *rest = map(int, text.split(":"))
            for part in rest:
                head = 60 * head + part
            return head
        return int(text[:_LONGEST], 16 if self.form == "hexadecimal" else 10)

    def text(self, value: int) -> str:
        """Text of a number, or of the nearest number with a text."""
        if self.form == "date":
            day = date.fromordinal(min(max(366, value), date.max.toordinal()))
            return day.strftime(self.day.replace("%Y", f"{day.year:04}"))
        if self.form == "time":
            value, last = divmod(min(max(0, value), _LATEST[self.width]), 60)
            if self.width > _MINUTES:
                value, middle = divmod(value, 60)
                return f"{value:02}:{middle:02}:{last:02}"
            return f"{value:02}:{last:02}"
        if self.form == "real":
            digits = str(abs(value)).rjust(self.width + 1, "0")
            text = f"{'-' * (value < 0)}{digits[: -self.width]}.{digits[-self.width :]}"
            return text if self.fixed else text.rstrip("0").rstrip(".")
        if self.form == "hexadecimal":
            return format(value, f"0{self.width}{'X' if self.capital else 'x'}")
        return str(value).zfill(self.width)


Notation.PLAIN = Notation()


@lru_cache(1 << 16)
def _read(notation: Notation, text: str) -> int | None:
    try:
        value = notation._number(text)
    except ValueError:
        return None
    return value if notation.text(value) == text else None


def _hexadecimal(values: Sequence[str]) -> bool:
    """Whether a place has both digits and letters, and no place letters only."""
    different = set(values)
    places = [{letter.isdigit() for letter in place} for place in zip(*different, strict=True)]
    enough = len(different) >= _MIN_HEXADECIMAL
    return enough and {True, False} in places and {False} not in places
