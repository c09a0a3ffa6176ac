"""Features: a candidate as numbers for a small model, quick to count.

They are counted in C++, Python and any other text alike: nothing is parsed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import log1p
from zlib import crc32

from maxcode.evaluation import Evaluation, Interval, Status
from maxcode.observation import Observation
from maxcode.program import Program
from maxcode.task import Task
from maxcode.tree import ROOT, Step, Trajectory

_TOKEN_COLUMNS, _LINE_COLUMNS = 64, 128
_RECENT = 3  # steps whose gains make the slope

_TOKEN = re.compile(r"[A-Za-z_]\w*|\d+(?:\.\d+)?|[^\w\s]")
_IDIOMS = {
    name: re.compile(pattern, re.MULTILINE)
    for name, pattern in {
        "loops": r"\b(?:for|while)\b",
        "branches": r"\b(?:if|elif|else|switch|case)\b|\?",
        "returns": r"\breturn\b",
        "calls": r"\w\(",
        "indexing": r"\w\[",
        "includes": r"^\s*(?:#\s*include|import|from)\b",
        "definitions": r"\bdef\b|\b(?:class|struct)\b|\)\s*(?:const\s*)?\{",
        "allocations": r"\b(?:new|malloc|calloc|resize|push_back|emplace_back|append)\b"
        r"|\.(?:clone|contiguous|copy|to)\(|\b(?:empty|zeros|ones)(?:_like)?\(",
        "reserve": r"\breserve\b",
        "arrays": r"\b(?:vector|array|list|deque|tensor|ndarray)\b",
        "ordered": r"\b(?:map|set|multimap|multiset|priority_queue)\b",
        "hashed": r"\b(?:unordered_\w+|dict|defaultdict|Counter)\b",
        "strings": r"\b(?:string|substr|stringstream|str|join|to_string)\b",
        "streams": r"\b(?:cin|cout|cerr|getline|ifstream|ofstream)\b",
        "flushes": r"\b(?:endl|flush)\b",
        "stdio": r"\b(?:scanf|printf|getchar|putchar|puts|gets|print|input|readline)\b",
        "blocks": r"\b(?:fread|fwrite|getchar_unlocked|read|write|mmap|setvbuf)\b",
        "unsynced": r"sync_with_stdio|\.tie\(",
        "sorting": r"\b(?:sort|sorted|stable_sort|nth_element|heapq)\b",
        "mathematics": r"\b(?:pow|sqrt|exp|log|sin|cos|tanh|floor|ceil|abs)\w?\(",
        "divisions": r"[\w)\]]\s*[/%]\s*[\w(]",
        "constants": r"\b(?:const|constexpr|static|inline|restrict)\b",
        "references": r"\w\s?&\s?\w|&&|\bmove\b",
        "wide": r"\b(?:double|long|int64_t|float64)\b",
        "narrow": r"\b(?:float|short|char|uint8_t|half|float16|bfloat16)\b",
        "vectors": r"\b(?:_mm\w+|__m\d+\w*|float4|float2|half2)\b|#\s*pragma",
        "threads": r"\b(?:omp|thread|async|__syncthreads|__shared__|blockIdx|threadIdx)\b",
        "kernels": r"__global__|\btriton\b|\btl\.|<<<|load_inline",
        "torch": r"\b(?:torch|nn|F)\.",
        "fusions": r"\b(?:compile|jit|fused\w*|addmm|einsum|matmul|bmm)\b",
        "comments": r"//|/\*|^\s*#(?!\s*(?:include|define|pragma|if|endif))",
    }.items()
}


@dataclass(frozen=True)
class _Code:
    """Counts of a program, and its tokens and lines as bags."""

    counts: dict[str, float]
    tokens: Counter[str]
    lines: Counter[str]


def features(observation: Observation, program: Program) -> dict[str, float]:
    """The features of a candidate as a next step after ``observation.step``; always the same names.

    Counts are of the candidate, of changes from the step (``changed_...``) and from the baseline
    (``since_...``). ``token_...`` and ``line_...`` are bags of additions and removals from the
    step, hashed into a few columns (Weinberger et al., "Feature hashing for large scale multitask
    learning", 2009, without their signs).
    """
    code = _read(_text(program))
    step = _read(_text(observation.step.program))
    baseline = _read(_text(observation.task.baseline))
    return {
        **code.counts,
        **_difference("changed", code, step),
        **{f"changed_{name}": code.counts[name] - step.counts[name] for name in code.counts},
        **_difference("since", code, baseline),
        **_of_path(observation.path),
        **_hashed("token", _TOKEN_COLUMNS, code.tokens, step.tokens),
        **_hashed("line", _LINE_COLUMNS, code.lines, step.lines),
    }


def _text(program: Program) -> str:
    return "\n".join(program.files[path] for path in sorted(program.files))


@lru_cache(maxsize=64)  # the step and the baseline are asked for with each candidate
def _read(text: str) -> _Code:
    lines = text.splitlines()
    counts = {
        "characters": float(len(text)),
        "lines": float(len(lines)),
        "nesting": float(max(_depths(lines), default=0)),
        **{name: float(len(idiom.findall(text))) for name, idiom in _IDIOMS.items()},
    }
    bare = (" ".join(line.split()) for line in lines)
    return _Code(counts, Counter(_TOKEN.findall(text)), Counter(line for line in bare if line))


def _depths(lines: Iterable[str]) -> Iterator[int]:
    """How deep each line stands: by its braces, or where there are none by its indentation."""
    open_braces = 0
    for line in lines:
        open_braces += line.count("{") - line.count("}")
        yield open_braces or (len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip())) // 4


def _difference(name: str, new: _Code, old: _Code) -> dict[str, float]:
    """Additions and removals, as counts and as a share of the whole."""
    added, removed = (new.lines - old.lines).total(), (old.lines - new.lines).total()
    tokens = (new.tokens - old.tokens).total() + (old.tokens - new.tokens).total()
    return {
        f"{name}_lines_added": float(added),
        f"{name}_lines_removed": float(removed),
        f"{name}_share": (added + removed) / max(new.lines.total() + old.lines.total(), 1),
        f"{name}_tokens": float(tokens),
    }


def _of_path(path: Trajectory) -> dict[str, float]:
    """Where the search stands: u, and how it went so far."""
    rewards = [step.reward for step in path.steps]
    gains = [log1p(after) - log1p(before) for before, after in pairwise(rewards)]
    best = max(range(len(rewards)), key=lambda i: rewards[i])
    return {
        "u": path.u,
        "depth": float(len(rewards) - 1),
        "reward": rewards[-1],
        "best": rewards[best],
        "below_best": rewards[-1] / rewards[best] if rewards[best] else 0.0,
        "since_best": float(len(rewards) - 1 - best),
        "failures": float(sum(reward == 0 for reward in rewards)),
        "slope": sum(gains[-_RECENT:]) / max(len(gains[-_RECENT:]), 1),
    }


def _hashed(name: str, columns: int, new: Counter[str], old: Counter[str]) -> dict[str, float]:
    found = dict.fromkeys((f"{name}_{column}" for column in range(columns)), 0.0)
    for words, sign in ((new - old, 1), (old - new, -1)):
        for word, count in words.items():
            found[f"{name}_{crc32(word.encode()) % columns}"] += sign * count
    return found


def _names() -> tuple[str, ...]:
    nothing = Program.of("")
    step = Step(ROOT, None, nothing, Evaluation(Status.OK, Interval(1.0, 1.0, 1.0)))
    return tuple(features(Observation(Task("", "", nothing), step), nothing))


NAMES = _names()
"""The names of all features, in order."""
