"""Details of steps, packed: compressed some at a time, in characters that mean nothing in HTML."""

from __future__ import annotations

import gzip
import json
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from pydantic import JsonValue

from maxcode.telling.steps import Document

_SIZE = 25  # steps in a chunk: few, for one click unpacks it; many, for they share their texts


@dataclass(frozen=True, slots=True)
class Chunk:
    """The details of ``count`` steps of a run from ``first`` on. ``text`` is packed JSON.

    That holds a list for each key, for like next to like packs well. Prompts, which may be longer
    than a compressor looks back, are pairs: how many UTF-16 units of the prompt before to begin
    with, and what follows them. Those of critics have a key of their own, ``critic_prompt``.
    """

    run: str
    first: int
    count: int
    text: str


def chunks(run: str, details: Iterable[Document]) -> Iterator[Chunk]:
    """The chunks of a run's steps, given in their order; they are read as they are needed."""
    first, rest = 0, iter(details)
    while some := list(islice(rest, _SIZE)):
        columns: Document = {key: [step[key] for step in some] for key in some[0]}
        critics = [step["critic"] for step in some]
        prompts = [""]
        for one in critics:  # who has none repeats the one before, which takes no room
            prompts.append(str(one["prompt"]) if isinstance(one, dict) else prompts[-1])
        columns["critic"] = [
            {**one, "prompt": ""} if isinstance(one, dict) else None for one in critics
        ]
        columns["prompt"] = [*_shared([str(step["prompt"]) for step in some])]
        columns["critic_prompt"] = [*_shared(prompts[1:])]
        text = packed(json.dumps(columns, allow_nan=False, separators=(",", ":")))
        yield Chunk(run, first, len(some), text)
        first += len(some)


def packed(text: str) -> str:
    """The text compressed by gzip, in base64."""
    return b64encode(gzip.compress(text.encode(), compresslevel=6, mtime=0)).decode()


def _shared(texts: Sequence[str]) -> Iterator[JsonValue]:
    """Each text as what it begins like the one before, and the rest."""
    before = ""
    for text in texts:
        same = _alike(before, text)
        yield [len(text[:same].encode("utf-16-le")) // 2, text[same:]]
        before = text


def _alike(one: str, other: str) -> int:
    """How many characters the two begin with alike; by halves, as comparing slices is fast."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
