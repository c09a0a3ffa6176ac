"""Prices of models' tokens: a dated table of ours, and the user's own prices before it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from math import isfinite
from pathlib import Path
from typing import Annotated

from platformdirs import user_config_path
from pydantic import Field, RootModel

from maxcode.errors import InputError, TaskError
from maxcode.tasks.toml import Table, read_toml

_OURS = Path(__file__).with_name("prices.toml")
_VERSION = re.compile(r"(-latest|-20\d\d-?\d\d-?\d\d)?")
_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class LongPrompt:
    """Price of a request with more than ``above`` tokens of prompt, as a whole.

    Everything paid for its prompt is multiplied by ``input``, its output by ``output``.
    """

    above: int
    input: float
    output: float


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars per million tokens; see :class:`maxcode.budget.Call` for the classes.

    A price of 0 is a known price.
    """

    input: float
    output: float
    cached: float
    written: float
    long: LongPrompt | None = None

    def __post_init__(self) -> None:
        for rate in (self.input, self.output, self.cached, self.written):
            if not isfinite(rate) or rate < 0:
                raise InputError(f"price: dollars are a number from 0 on, not {rate}")

    @classmethod
    def parse(cls, text: str) -> Price:
        """From ``"3/15"``, ``"3/15/0.3"`` or ``"3/15/0.3/3.75"``.

        Input, output, cached and written; the last two are as dear as input if left out. Raises
        :class:`~maxcode.errors.InputError` for anything else.
        """
        try:
            rates = [float(part) for part in text.split("/")]
        except ValueError:
            rates = []
        if not 2 <= len(rates) <= 4:
            raise InputError(
                f"price: cannot read {text!r}; write dollars per million tokens of input and "
                "output, like 3/15, or of input, output, cached and written input, "
                "like 3/15/0.3/3.75"
            )
        cached, written = [*rates[2:], rates[0], rates[0]][:2]
        return cls(rates[0], rates[1], cached, written)

    def dollars(
        self,
        *,
        input: int = 0,  # noqa: A002 - as in Call
        cached: int = 0,
        written: int = 0,
        output: int = 0,
    ) -> float:
        """Price of a request as a whole: its parts may be cheaper by themselves."""
        prompt = input * self.input + cached * self.cached + written * self.written
        answer = output * self.output
        if self.long and input + cached + written > self.long.above:
            prompt, answer = prompt * self.long.input, answer * self.long.output
        return (prompt + answer) / _MILLION

    def most(self, prompt: int, output: int) -> float:
        """The highest price of a prompt and an output of so many tokens."""
        rates = {"input": self.input, "cached": self.cached, "written": self.written}
        highest = max(rates, key=lambda name: rates[name])
        return self.dollars(**{highest: prompt, "output": output})


def price_of(model: str, table: Mapping[str, Price]) -> Price | None:
    """The price of a model like "anthropic:claude-sonnet-4-5"; None if unknown.

    An entry also prices the dated and latest versions of its model ("-20250929", "-2025-08-07",
    "-latest"); not a model with a longer name, nor a model of another server ("@https://..."), with
    its own prices.
    """
    entries = [
        name for name in table if model.startswith(name) and _VERSION.fullmatch(model, len(name))
    ]
    return table[max(entries, key=len)] if entries else None


def load_prices(path: str | Path | None = None) -> dict[str, Price]:
    """All prices by "provider:model".

    Ours, then those of ``prices.toml`` in the user's config folder (XDG_CONFIG_HOME moves it) if
    there is one, then those of the file at ``path``; later ones replace earlier ones. Raises
    :class:`~maxcode.errors.InputError` with the file and the key of a mistake.
    """
    own = user_config_path("maxcode") / _OURS.name
    files = [_OURS]
    files += [own] if own.exists() else []
    files += [Path(path)] if path else []
    return {name: price for file in files for name, price in _read(file).items()}


_Rate = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class _Model(Table):
    input: _Rate
    output: _Rate
    cached: _Rate | None = None
    written: _Rate | None = None
    long: LongPrompt | None = None
    as_of: date | None = None  # for readers of the file, as a provider's and its source

    @property
    def price(self) -> Price:
        cached = self.input if self.cached is None else self.cached
        written = self.input if self.written is None else self.written
        return Price(self.input, self.output, cached, written, self.long)


class _Provider(Table):
    as_of: date | None = None
    source: str = ""
    models: dict[str, _Model]


class _Prices(RootModel[dict[str, _Provider]]):
    pass


def _read(file: Path) -> dict[str, Price]:
    try:
        providers = read_toml(file, _Prices).root
    except TaskError as error:
        raise InputError(str(error)) from error
    return {
        f"{name}:{model}": rates.price
        for name, provider in providers.items()
        for model, rates in provider.models.items()
    }
