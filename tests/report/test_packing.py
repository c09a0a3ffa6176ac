"""Packing: what comes out is what was put in, and texts that begin alike are kept once."""

import base64
import gzip
import json
from random import Random
from typing import Any
from unittest.mock import ANY

from maxcode.report.listing import Document
from maxcode.report.page import (
    Chunk,
    chunks,
)

NOISE = base64.b64encode(Random(0).randbytes(75_000)).decode()  # 100 kB that nothing compresses


def steps(prompts: list[str]) -> list[Document]:
    return [
        {"id": number, "prompt": prompt, "critic": {"prompt": f"C{prompt}"} if number % 2 else None}
        for number, prompt in enumerate(prompts)
    ]


def unpacked(chunk: Chunk) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = json.loads(gzip.decompress(base64.b64decode(chunk.text)))
    return columns


def whole(pieces: list[tuple[int, str]]) -> list[str]:
    """Prompts as the page's script puts them together, in UTF-16."""
    made, before = [], b""
    for same, rest in pieces:
        before = before[: 2 * same] + rest.encode("utf-16-le")
        made.append(before.decode("utf-16-le"))
    return made


def test_what_comes_out_is_what_was_put_in() -> None:
    prompts = ["", "🚀 a", "🚀 ab", "🚀 ab", "🛰 ab", *(f"p{number}" for number in range(60))]
    found, given = list(chunks("run", iter(steps(prompts)))), iter(prompts)
    assert [(one.run, one.first, one.last) for one in found] == [
        ("run", 0, 24),
        ("run", 25, 49),
        ("run", 50, 64),
    ]
    for columns in map(unpacked, found):
        texts = whole(columns["prompt"])
        assert texts == [next(given) for _ in texts]
        told = zip(columns["critic"], texts, whole(columns["critic_prompt"]), strict=True)
        critics = [(critic, asked == f"C{text}") for critic, text, asked in told]
        assert critics == [({"prompt": ""}, True) if n % 2 else (None, ANY) for n in columns["id"]]


def test_long_prompts_that_begin_alike_are_kept_once() -> None:
    (chunk,) = chunks("run", steps([f"{NOISE} attempt {number}" for number in range(20)]))
    assert len(chunk.text) < 3 * len(NOISE)  # one for the steps, one for the critics
