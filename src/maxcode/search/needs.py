"""Needs of a program beyond the original's: instruction sets, processors, memory.

Instruction sets are read from source text and compiler flags: a program that asks the processor
first, or has its own code for each, needs none. Threads and memory are those of the measured runs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from maxcode.evaluation import Measurement
from maxcode.program import Program
from maxcode.text import counted, quantity

# Compilers' flags, attributes of C, C++ and Rust, and assembly.
_ASKED = r"(?:-m|\b(?:(?:__)?target(?:__)?\s*\(|enable\s*=|(?:__)?asm(?:__)?\b)[^)\n]*\b(?<!no-))"
_SETS = {  # by what compilers call them, and by types and functions
    "AVX-512": rf"{_ASKED}avx512|\b_mm512_|\b__m512|-march=x86-64-v4",
    "AVX2": rf"{_ASKED}avx2?\b|\b_mm256_|\b__m256|-march=x86-64-v3",
    "FMA": rf"{_ASKED}fma\b|\b_mm_fn?m(?:add|sub)_",
    "BMI": rf"{_ASKED}(?:bmi|lzcnt|abm)|\b_(?:pext|pdep|bzhi|lzcnt|tzcnt)_u(?:32|64)\b",
    "POPCNT": rf"{_ASKED}popcnt|\b_mm_popcnt_u",
    "SSE4": rf"{_ASKED}s?sse[34]|\b_mm_(?:shuffle_epi8|crc32_u|cmp[ei]str)|-march=x86-64-v2",
    "a processor like this one": r"-m(?:arch|cpu)=(?!x86-64)",
}
_FLAG = re.compile(r"(?<![\w-])-m[\w.+=-]+")
_CHOSEN = re.compile(
    r"\b__builtin_cpu_(?:supports|is)\b|\btarget_clones\b|\bis_x86_feature_detected\b"
    r"|#\s*(?:el)?if[^\n]*\b__(?:AVX|SSE|FMA|BMI|POPCNT)\w*"
)
_MORE_MEMORY = 2.0  # times
_MUCH_MEMORY = 32e6  # bytes more
_BUSY = 1.5  # processors at work, on average


def instruction_sets(before: Program, after: Program) -> list[str]:
    """Names of the instruction sets without which it does not run, and the original does."""
    own = _instruction_sets(before)
    return [name for name in _instruction_sets(after) if name not in own]


def _instruction_sets(program: Program) -> list[str]:
    code = "\n".join(program.files.values())
    if _CHOSEN.search(code):
        code = " ".join(_FLAG.findall(code))
    return [name for name, sign in _SETS.items() if re.search(sign, code)]


def runtime_needs(before: Sequence[Measurement], now: Sequence[Measurement]) -> list[str]:
    """Processors and memory needed beyond the original's, by the samples of both."""
    first, second = ({one.meter: one.median for one in side} for side in (before, now))
    needs = []
    if min(second.get("wall", 0), first.get("wall", 0)) > 0 and "cpu" in second:
        busy, usual = second["cpu"] / second["wall"], first["cpu"] / first["wall"]
        if busy > _BUSY * max(usual, 1.0):
            needs.append(counted(round(busy), "processor"))
    memory, usual = second.get("peak_memory", 0.0), first.get("peak_memory", 0.0)
    if memory > _MORE_MEMORY * usual and memory - usual > _MUCH_MEMORY:
        needs.append(f"{quantity(memory, 'B')} of memory ({quantity(usual, 'B')} before)")
    return needs
