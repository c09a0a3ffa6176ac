"""Snapshots: what the events of a long run add up to, kept so that it is resumed sooner.

A snapshot is a cache, and no part of the journal: a file in the user's cache folder, where nobody
else's store can put one. It is taken only where the journal holds the events that it was made of,
by the checksum of the last, and only by the code that made it; of any other nothing is used.
"""

from __future__ import annotations

import hashlib
import json
import os
import warnings
import zlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import GenericAlias
from typing import Any, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ConfigDict, create_model
from pydantic_core import PydanticSerializationError

from maxcode.budget import Cost, Usage
from maxcode.errors import ToolError
from maxcode.evaluation import (
    Baseline,
    Comparison,
    Counterexample,
    Critique,
    Evaluation,
    FuzzResult,
    HeldOut,
    Interval,
    Profile,
    Status,
)
from maxcode.journal.events import Committed, Event, RunStarted, SessionStarted, Stopped
from maxcode.journal.journal import RunLog
from maxcode.journal.open import OpenExpansion, Reduction
from maxcode.journal.state import RunState
from maxcode.program import Program
from maxcode.ranking import Agreement
from maxcode.system import cache_folder, garbage_kept
from maxcode.tree import Expansion, Moment, SearchTree, Step, Value

LEAST = 10_000
"""Events that are folded sooner than it is worth to keep what they add up to."""

_KEPT = 16  # snapshots, those that were written last


def _model(name: str, types: Mapping[str, Any]) -> type[BaseModel]:
    """The form of an object in a snapshot: its attributes, a mapping as a list of pairs."""
    fields: dict[str, Any] = {key.lstrip("_"): (_paired(kind), ...) for key, kind in types.items()}
    config = ConfigDict(extra="forbid", ser_json_inf_nan="constants")
    return create_model(name, __config__=config, **fields)


def _paired(kind: Any) -> Any:
    if get_origin(kind) is not dict:
        return kind
    return _list_of(GenericAlias(tuple, get_args(kind)))


def _list_of(kind: Any) -> Any:
    return GenericAlias(list, (kind,))


_OPEN = _model("Open", get_type_hints(OpenExpansion))
_REDUCTION = _model("Reducing", get_type_hints(Reduction))
_ESTIMATES = _model(
    "Estimated",
    {
        "rankings": int,
        "seconds": float,
        "slowest": float,
        "_judged": dict[int, list[tuple[float, float]]],
        "_agreements": dict[int, Agreement],
    },
)
_TREE = _model(
    "Tree",
    {
        "gamma": float,
        "_pending": dict[int, Expansion],
        "_asked": dict[int, Moment],
        "_cut_short": set[int],
        "_expansions": int,
        "_incumbents": list[tuple[int, Interval]],
        "_confirmed": dict[int, Comparison],
        "_fuzzed": dict[int, FuzzResult],
        "_held_out": dict[int, HeldOut],
        "_counterexamples": list[Counterexample],
    },
)
_STATE = _model(
    "State",
    {
        "started": RunStarted | None,
        "baseline": Baseline | None,
        "open": _list_of(_OPEN),
        "evaluations": dict[str, Evaluation],
        "decided": set[int],
        "failed": set[tuple[int, int]],
        "reduction": _REDUCTION | None,
        "reducing": int,
        "returned": int | None,
        "stopped": Stopped | None,
        "session": SessionStarted | None,
        "_provisional": list[int],
        "recipe_changes": dict[str, Any],
        "by_status": dict[Status, int],
        "usage": dict[str, Usage],
        "estimates": _ESTIMATES,
        "last_event": int,
        "comparison_seconds": float,
        "fuzz_seconds": float,
        "held_out_seconds": float,
        "_proposal_seconds": float,
        "_evaluation_seconds": float,
        "answered": bool,
        "no_answers": int,
        "stagnation": int,
        "_tree": _TREE | None,
        "_settled": Cost,
        "_seconds_before": float,
        "_session_from": float,
        "_now": float,
    },
)
_MADE_AGAIN = {"log", "snapshot", "last_committed", "nodes", "first_of"}
"""Attributes that are found out otherwise, or written as steps."""

_FEW = ("critique", "profile", "value", "reduced_from")
_STEPS = _model(  # in columns: of most steps, most is as it is of every step
    "Steps",
    {
        "id": list[int],
        "parent": list[int | None],
        "program": list[str],
        "evaluation": list[Evaluation | None],  # None: that of the step it is a duplicate of
        "expansion": list[int],
        "summary": list[str],
        "tags": list[tuple[str, ...]],
        "duplicate_of": list[int | None],
        "cost": list[int],  # of these
        "costs": list[Cost],
        "critique": dict[int, Critique],  # these by the step's place, where it has one
        "profile": dict[int, Profile],
        "value": dict[int, Value],
        "reduced_from": dict[int, int],
    },
)


def load(log: RunLog) -> RunState:
    """The state that all events of a run add up to, from its snapshot where that fits.

    It fits where the run has the last event that it holds, with its checksum, which goes on from
    all before it, and as many events before that. What they say is not read again. Warns of a
    snapshot that is not taken; raises what :meth:`RunState.load` raises.
    """
    with garbage_kept():
        state = _from_file(log)
        if state is None:
            return RunState.load(log)
        for recorded in log.events(state.last_event):
            state.apply(recorded)
    return state


def keep(event: Event, state: RunState) -> None:
    """Write a snapshot when it is worth that; an :data:`~maxcode.journal.state.Observer`.

    While a run goes on, it is when the run is twice as long as at the one before, so that all of
    them together cost no more than two.
    """
    ended = isinstance(event, Stopped)
    if ended or isinstance(event, Committed):
        new = state.last_event - state.snapshot
        if new >= (LEAST if ended else max(LEAST, state.snapshot)):
            state.log.flush(state.last_event)
            save(state)


def save(state: RunState) -> None:
    """Write the snapshot of a run, of which the journal holds all events.

    One that cannot be written is left out. There is none of a run in memory, nor of one whose last
    event has no checksum.
    """
    log = state.log
    state.snapshot = state.last_event
    chain = log.checksum(state.last_event) if log.lasts else ""
    if not chain:
        return
    with suppress(OSError, ToolError, PydanticSerializationError):
        encoded = encode(state)
        digest = hashlib.sha256(encoded).hexdigest()
        head = {"code": _code(), "seq": state.last_event, "chain": chain, "sha256": digest}
        path = place(log)
        path.parent.mkdir(mode=0o700, exist_ok=True)
        new = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(json.dumps(head).encode() + b"\n" + encoded)
            new.replace(path)
        finally:
            new.unlink(missing_ok=True)
        _drop_old(path.parent)


def place(log: RunLog) -> Path:
    """The file of a run's snapshot, named so that no name of a run leads elsewhere.

    Raises :class:`~maxcode.errors.ToolError` without a cache folder.
    """
    name = hashlib.sha256(log.run_id.encode("utf-8", "surrogatepass")).hexdigest()
    return cache_folder() / "snapshots" / name[:32]


def _from_file(log: RunLog) -> RunState | None:
    """The state that the snapshot holds; None where there is none, or none to be taken."""
    try:
        path = place(log)
        mine = path.stat().st_uid == os.geteuid()
        line, _, encoded = path.read_bytes().partition(b"\n")
    except (OSError, ToolError):
        return None
    problem = "is damaged"
    try:
        head = json.loads(line)
        if not mine:
            problem = "belongs to another user"
        elif head["sha256"] != hashlib.sha256(encoded).hexdigest():
            problem = "is damaged"
        elif head["code"] != _code():
            problem = "was written by another version of maxcode"
        elif log.checksum(seq := head["seq"]) != head["chain"] or log.count(seq) != seq + 1:
            problem = "is of other events"
        else:
            state = decode(log, encoded)
            state.snapshot = state.last_event
            return state
    except (ValueError, LookupError, TypeError, zlib.error):
        pass  # it says something else than a snapshot does
    what = f"the snapshot of run {log.run_id} {problem}; all of its events are read again"
    warnings.warn(what, RuntimeWarning, stacklevel=3)
    return None


def encode(state: RunState) -> bytes:
    """All of a state. Nothing may be recorded meanwhile."""
    tree = state.tree if state.has_tree else None
    found = _plain(
        state,
        _STATE,
        open=[_plain(opened, _OPEN) for opened in state.open.values()],
        reduction=_plain(state.reduction, _REDUCTION) if state.reduction else None,
        estimates=_plain(state.estimates, _ESTIMATES),
        tree=_plain(tree, _TREE) if tree else None,
    )
    texts = [found.model_dump_json(warnings=False)]
    for steps in (tree or (), state.last_committed):  # so many that what is as usual is left out
        columns = _columns([*steps], tree)
        texts.append(columns.model_dump_json(warnings=False, exclude_defaults=True))
    return zlib.compress("\n".join(texts).encode("utf-8", "surrogatepass"), level=1)


def decode(log: RunLog, encoded: bytes) -> RunState:
    """The state of a run that :func:`encode` was given.

    Raises ValueError, LookupError, TypeError or zlib.error for what it never gave.
    """
    first, second, third = zlib.decompress(encoded).split(b"\n")
    found: Any = _STATE.model_validate_json(first)
    programs: dict[str, Program] = {}
    steps = _steps(log, _STEPS.model_validate_json(second), (), programs)
    state = RunState(log)
    if found.tree:
        vars(state)["_tree"] = tree = SearchTree.of(steps, found.tree.gamma)
        _fill(tree, found.tree)
    last = _steps(log, _STEPS.model_validate_json(third), steps, programs)
    state.last_committed = tuple(last)
    state.reduction = Reduction(**_fields(Reduction, found.reduction)) if found.reduction else None
    opened = (OpenExpansion(**_fields(OpenExpansion, one)) for one in found.open)
    state.open = {one.number: one for one in opened}
    _fill(state.estimates, found.estimates)
    _fill(state, found, leave={"open", "reduction", "estimates", "tree"})
    return state


def _plain(thing: object, form: type[BaseModel], **given: object) -> BaseModel:
    """The attributes of an object in the form that they are written in.

    Raises TypeError for one that has no place there, so that none can be forgotten.
    """
    if hasattr(thing, "__dict__"):
        own = {key.lstrip("_"): value for key, value in vars(thing).items()}
    else:
        own = {name: getattr(thing, name) for name in form.model_fields}
    if unknown := own.keys() - form.model_fields - _MADE_AGAIN:
        raise TypeError(f"a snapshot has no place for {', '.join(unknown)} of {type(thing)}")
    values = {
        name: list(value.items()) if isinstance(value, dict) else value
        for name, value in own.items()
        if name not in _MADE_AGAIN
    }
    return form.model_construct(None, **{**values, **given})


def _fill(thing: object, found: BaseModel, leave: Iterable[str] = ()) -> None:
    """Set the attributes of a new object to what was found."""
    names = type(found).model_fields.keys() - set(leave)
    for key, before in vars(thing).items():
        name = key.lstrip("_")
        if name in names and isinstance(before, dict):  # of whichever kind
            before.update(dict(getattr(found, name)))
        elif name in names:
            vars(thing)[key] = getattr(found, name)


def _fields(kind: type, found: BaseModel) -> dict[str, Any]:
    """What an object of a dataclass is made with again."""
    mappings = {name for name, hint in get_type_hints(kind).items() if get_origin(hint) is dict}
    values = {name: getattr(found, name) for name in type(found).model_fields}
    return {name: dict(value) if name in mappings else value for name, value in values.items()}


def _columns(steps: Sequence[Step], tree: SearchTree | None) -> BaseModel:
    def verdict(step: Step) -> Evaluation | None:
        first = None if step.duplicate_of is None or tree is None else tree[step.duplicate_of]
        return None if first and first.evaluation is step.evaluation else step.evaluation

    def few(name: str) -> list[tuple[int, Any]]:
        found = ((place, getattr(step, name)) for place, step in enumerate(steps))
        return [(place, value) for place, value in found if value is not None]

    costs: dict[Cost, int] = {}
    every = ("id", "parent", "expansion", "summary", "tags", "duplicate_of")
    return _STEPS.model_construct(
        None,
        program=[step.program.digest for step in steps],
        evaluation=[verdict(step) for step in steps],
        cost=[costs.setdefault(step.cost, len(costs)) for step in steps],
        costs=list(costs),
        **{name: [getattr(step, name) for step in steps] for name in every},
        **{name: few(name) for name in _FEW},
    )


def _steps(
    log: RunLog, found: Any, tree: Sequence[Step], programs: dict[str, Program]
) -> list[Step]:
    """Steps as they were; ``tree`` are those of the tree, unless these are."""
    steps: list[Step] = []
    tree, costs = tree or steps, found.costs
    columns = (found.id, found.parent, found.program, found.evaluation, found.expansion)
    more = (found.summary, found.tags, found.duplicate_of, found.cost)
    for number, parent, digest, verdict, *rest in zip(*columns, *more, strict=True):
        expansion, summary, tags, duplicate_of, cost = rest
        program = programs.get(digest)
        if program is None:
            program = programs[digest] = log.program(digest)
        evaluation = verdict or tree[duplicate_of].evaluation
        known = (program, evaluation, expansion, summary, tags, None, None, None, duplicate_of)
        steps.append(Step(number, parent, *known, costs[cost]))
    for name in _FEW:
        for place, value in getattr(found, name):
            steps[place] = replace(steps[place], **{name: value})
    return steps


@cache
def _code() -> str:
    """What the code is known by that folds events: another version may fold them differently."""
    here = Path(__file__).parent
    sources = sorted([*here.glob("*.py"), *here.parent.glob("*.py")])
    return hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()


def _drop_old(folder: Path) -> None:
    """Keep the snapshots that were written last."""
    by_age = sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
    for path in by_age[_KEPT:]:
        path.unlink(missing_ok=True)
