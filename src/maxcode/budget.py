"""Costs and budgets of a search, the ledger of reservations, and calls of models."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from math import ceil, inf, isclose
from operator import add, attrgetter
from threading import Lock
from time import monotonic
from typing import Any

from maxcode.errors import InputError

_amounts = attrgetter("evaluations", "tokens", "dollars", "seconds", "unpriced")


@dataclass(frozen=True, slots=True)
class Cost:
    """An amount of work, paid or reserved.

    ``evaluations`` counts programs judged, ``tokens`` the tokens of models, in and out, of which
    ``unpriced`` have no known price and are missing from ``dollars``. ``seconds`` is wall time of
    the search: concurrent work is not added up.
    """

    evaluations: int = 0
    tokens: int = 0
    dollars: float = 0.0
    seconds: float = 0.0
    unpriced: int = 0

    def __post_init__(self) -> None:
        if not all(0 <= amount < inf for amount in _amounts(self)):
            raise ValueError(f"a cost cannot be negative or endless: {self}")

    def __add__(self, other: Cost) -> Cost:
        return Cost(*map(add, _amounts(self), _amounts(other)))

    def beyond(self, other: Cost) -> Cost:
        """Excess over the other in each currency; 0 where it is less."""
        pairs = zip(_amounts(self), _amounts(other), strict=True)
        return Cost(*(max(ours - theirs, 0) for ours, theirs in pairs))

    def at_least(self, other: Cost) -> Cost:
        """Larger of both amounts in each currency."""
        return Cost(*map(max, _amounts(self), _amounts(other)))


FREE = Cost()


_ALIASES = {"usd": "dollars", "evals": "evaluations", "s": "seconds"}
_TYPED = {"dollars": "usd"}  # as it is typed, and as every page has it


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of a search; None means no limit. Raises :class:`InputError` for one not above 0.

    ``evaluations`` counts programs judged, without duplicates, ``tokens`` the tokens of models, in
    and out, and ``dollars`` their cost. ``seconds`` is wall time: no work begins that would, by
    past experience, end after it.
    """

    evaluations: int | None = None
    tokens: int | None = None
    dollars: float | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        for name, limit in self.limits.items():
            if not 0 < limit < inf:
                raise InputError(f"budget: {name} must be a number above 0, not {limit}")

    @property
    def limits(self) -> dict[str, float]:
        """The limits that are set, by name."""
        amounts = ((field.name, getattr(self, field.name)) for field in fields(self))
        return {name: limit for name, limit in amounts if limit is not None}

    @classmethod
    def parse(cls, text: str) -> Budget:
        """Budget from ``"evaluations=40,seconds=120,usd=5"``; ``inf`` lifts a limit.

        A whole number alone, as in ``"40"``, means evaluations. Raises :class:`InputError` for
        anything else.
        """
        names = {field.name for field in fields(cls)}
        limits: dict[str, Any] = {}
        whole = text.strip()
        for part in (f"evaluations={whole}" if whole.isdecimal() else text).split(","):
            match = re.fullmatch(r"\s*(\w+)\s*=\s*(\S+)\s*", part)
            name = _ALIASES.get(match[1], match[1]) if match else ""
            if not match or name not in names:
                raise InputError(
                    f"budget: cannot read {part.strip()!r}; write it like "
                    "evaluations=40,seconds=120,usd=5,tokens=100000"
                )
            limits[name] = _limit(name, match[2])
        return cls(**limits)

    def check_above(self, spent: Cost) -> None:
        """Raise :class:`InputError` for a limit used up by ``spent``."""
        for name, limit in self.limits.items():
            amount = getattr(spent, name)
            if limit <= amount or _equal(amount, limit):
                used = _plain(ceil(100 * amount) / 100)
                typed = _TYPED.get(name, name)
                raise InputError(f"{used} {typed} are spent already; give more than {used}")

    def __str__(self) -> str:
        shown = (f"{_TYPED.get(name, name)}={_plain(one)}" for name, one in self.limits.items())
        return ",".join(shown) or "unlimited"


def _plain(limit: float) -> str:
    return repr(limit).removesuffix(".0")


def _limit(name: str, text: str) -> float | None:
    try:
        limit = float(text)
    except ValueError:
        raise InputError(f"budget: {text!r} is not a number ({name})") from None
    if limit == inf:
        return None
    if name in ("dollars", "seconds"):
        return limit
    if not limit.is_integer():
        raise InputError(f"budget: evaluations and tokens are whole numbers, not {limit}")
    return int(limit)


def _equal(amount: float, limit: float) -> bool:
    """Whether both are equal up to the rounding errors of float sums."""
    return isclose(amount, limit, rel_tol=1e-12)


class Reservation:
    """Part of the budget held for work under way. Commit or release it exactly once."""

    def __init__(self, ledger: Ledger, amount: Cost) -> None:
        self.amount = amount
        self._ledger = ledger

    def extend(self, more: Cost) -> bool:
        """Hold so much more; False beyond a limit, or after settlement."""
        return self._ledger._extend(self, more)

    def commit(self, actual: Cost) -> None:
        """Replace the held amount by the actual cost."""
        self._ledger._settle(self, actual)

    def release(self) -> None:
        """Give back the held amount."""
        self.commit(FREE)


class Ledger:
    """Account of a search's spending against a Budget. Thread-safe.

    Work is reserved at its most, run, and committed at its cost, so no limit is passed, however
    many threads ask. Seconds are read from a clock: those of a reservation are the expected
    duration. ``spent`` is the spending of earlier sessions of the run.
    """

    def __init__(
        self, budget: Budget, spent: Cost = FREE, clock: Callable[[], float] = monotonic
    ) -> None:
        self.budget = budget
        self._spent = spent
        self._held: set[Reservation] = set()
        self._clock = clock
        self._started = clock()
        self._lock = Lock()

    @property
    def spent(self) -> Cost:
        """Sum of all committed costs; seconds by the clock."""
        with self._lock:
            return self._now()

    @property
    def deadline(self) -> float:
        """Clock reading at which the seconds are spent; ``inf`` without a limit."""
        if self.budget.seconds is None:
            return inf
        return self._started + self.budget.seconds - self._spent.seconds

    def reserve(self, amount: Cost) -> Reservation | None:
        """Hold ``amount``; None where it would pass a limit."""
        reservation = Reservation(self, FREE)
        with self._lock:
            self._held.add(reservation)
        if self._extend(reservation, amount):
            return reservation
        reservation.release()
        return None

    def exhausted(self) -> list[str]:
        """Names of the limits without any room beside the amounts spent and held."""
        with self._lock:
            used = self._used()
        amounts = [(name, getattr(used, name), one) for name, one in self.budget.limits.items()]
        return [n for n, amount, limit in amounts if amount >= limit or _equal(amount, limit)]

    def _extend(self, reservation: Reservation, more: Cost) -> bool:
        with self._lock:
            if reservation not in self._held:
                return False
            used = self._used()
            for name, limit in self.budget.limits.items():
                total = getattr(used, name) + getattr(more, name)
                if total > limit and not _equal(total, limit):
                    return False
            reservation.amount += more
            return True

    def _used(self) -> Cost:
        held = sum((one.amount for one in self._held), FREE)
        return self._now() + replace(held, seconds=0.0)  # the seconds pass at the same time

    def _now(self) -> Cost:
        return self._spent + Cost(seconds=self._clock() - self._started)

    def _settle(self, reservation: Reservation, actual: Cost) -> None:
        with self._lock:
            if reservation not in self._held:
                raise RuntimeError("this reservation was settled before")
            self._held.remove(reservation)
            self._spent += replace(actual, seconds=0.0)


@dataclass(frozen=True, slots=True)
class Call:
    """One sample of a request to a model, and its usage.

    ``model`` is a name like "anthropic:claude-sonnet-5-5"; ``request`` a digest of all that decides
    the answer (model, prompt, parameters, seed), of whose answers this is number ``sample``. Tokens
    of the prompt are in exactly one of ``input`` (at full price), ``cached`` (read from the
    provider's cache) and ``written`` (to it); ``output`` includes ``thinking``. Samples of a shared
    prompt share its tokens out. ``seconds`` is the time of all ``attempts``; ``dollars`` is None
    where the price is unknown, and ``saved`` how many more it would be without the provider's
    cache. ``problem`` says why there is no answer; the usage is lost then. Where nobody reports it,
    the call is a ``reserve``: the most it can have cost. ``estimated`` names impossible counts of
    the provider ("prompt", "answer", "prompt and answer"), whose tokens are estimated, never above
    their reservation. ``reused`` answers, of version 0.1, were paid for by an earlier run.
    """

    model: str
    request: str
    sample: int = 0
    input: int = 0
    cached: int = 0
    written: int = 0
    output: int = 0
    thinking: int = 0
    seconds: float = 0.0
    attempts: int = 1
    dollars: float | None = None
    saved: float = 0.0
    problem: str = ""
    reused: bool = False
    estimated: str = ""
    reserve: bool = False

    @classmethod
    def unknown(cls, model: str, request: str, sample: int, most: Cost, problem: str) -> Call:
        """A requested sample of unknown usage.

        Whatever kept its answer away, a fault or a kill, it is charged the ``most`` it can cost.
        """
        dollars = None if most.unpriced else most.dollars
        used = cls(model, request, sample, input=most.tokens, dollars=dollars)
        return replace(used, problem=problem, reserve=True)

    @property
    def tokens(self) -> int:
        """All tokens, in and out."""
        return self.input + self.cached + self.written + self.output

    @property
    def cost(self) -> Cost:
        """Charge to the budget."""
        if self.reused:
            return FREE
        if self.dollars is None:
            return Cost(tokens=self.tokens, unpriced=self.tokens)
        return Cost(tokens=self.tokens, dollars=self.dollars)


_TOKENS = ("input", "cached", "written", "output", "thinking")


@dataclass(frozen=True, slots=True)
class Usage:
    """Joint usage of all calls to a model; see :class:`Call`.

    ``answers`` came, ``lost`` calls gave none. ``seconds`` adds up the time of each answer.
    ``dollars`` leave out the ``unpriced`` tokens. Of the ``reserves``, which are among the lost,
    ``reserved`` dollars are the most they can have cost; their tokens are in none of the sums.
    """

    answers: int = 0
    reused: int = 0
    lost: int = 0
    input: int = 0
    cached: int = 0
    written: int = 0
    output: int = 0
    thinking: int = 0
    seconds: float = 0.0
    dollars: float = 0.0
    saved: float = 0.0
    unpriced: int = 0
    estimated: int = 0
    reserves: int = 0
    reserved: float = 0.0

    @classmethod
    def of(cls, call: Call) -> Usage:
        """Usage of a single call."""
        if call.reused:
            return cls(answers=1, reused=1)
        own = cls(
            answers=int(not call.problem),
            lost=int(bool(call.problem)),
            seconds=call.seconds,
            dollars=call.cost.dollars,
            unpriced=call.cost.unpriced,
        )
        if call.reserve:
            return replace(own, reserves=1, reserved=call.cost.dollars)
        counts = {name: getattr(call, name) for name in (*_TOKENS, "saved")}
        return replace(own, estimated=int(bool(call.estimated)), **counts)

    def __add__(self, other: Usage) -> Usage:
        return Usage(*map(add, _sums(self), _sums(other)))

    @property
    def prompts(self) -> int:
        """Tokens of prompts, from the provider's cache or not."""
        return self.input + self.cached + self.written


_sums = attrgetter(*(field.name for field in fields(Usage)))


class Stop(StrEnum):
    """Why a model stopped writing."""

    END = "end"
    """It had said all."""

    LENGTH = "length"
    """The answer was cut off at the limit of tokens."""

    REFUSED = "refused"
    """It would not answer."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A model's answer without its thinking, the reason it stopped, and its usage.

    Without an answer, it may be of use to ask ``again``, although both may be billed.
    """

    text: str
    call: Call
    stop: Stop = Stop.END
    again: bool = False


class Transcript:
    """Store of the answers obtained for an observation, so that none is paid for twice.

    A search's transcript writes to its journal; this base class, for observations outside of any
    search, keeps nothing. ``deadline`` is the :func:`time.monotonic` after which no answer is
    wanted.
    """

    deadline: float = inf

    def find(self, request: str, sample: int) -> Answer | None:  # noqa: ARG002
        """The answer to a sample of a request, if it was paid for before."""
        return None

    def sending(
        self, model: str, request: str, samples: Sequence[int], ceiling: Cost, prompt: str
    ) -> None:
        """Note a request about to leave, and the most each of its samples can cost.

        The note is durable on return: if the process is killed before an answer came, the sample is
        charged at its ceiling, for nobody knows the provider's bill. Call it before asking.
        """

    def afford(self, cost: Cost) -> bool:  # noqa: ARG002
        """Whether so much may be spent beyond the reservation; it is reserved then."""
        return True

    def keep(self, answer: Answer, prompt: str) -> None:
        """Keep an answer, or the failure to get an answer, with the prompt as it was sent.

        It is durable on return. Call it as soon as there is an answer.
        """
