"""Facts about the processor the programs run on, for their authors."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
from collections.abc import Sequence

from maxcode.measure.lane import all_processors

_VECTORS = (  # in the names of Linux, x86 first, then ARM
    *("sse4_2", "avx", "avx2", "fma", "f16c", "bmi2", "popcnt", "avx_vnni"),
    *("avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512_vnni", "avx512_bf16", "avx512_fp16"),
    *("amx_tile", "amx_int8", "amx_bf16"),
    *("asimd", "asimddp", "fphp", "asimdhp", "i8mm", "bf16", "sve", "sve2"),
)


def machine_facts(processors: Sequence[int] = (), listed: str | None = None) -> str:
    """The processor, its caches and vector extensions, and the memory: one fact a line, in ASCII.

    ``processors`` are the processors for timing, by number; all that may be used unless given.
    ``listed`` is what lscpu prints, by default for this machine.
    """
    fields = _fields(listed)
    usable = all_processors()
    caches = [
        f"{key.split()[0]} {value}"
        for key, value in fields.items()
        if re.fullmatch(r"L\dd?( cache)?", key)
    ]
    flags = fields.get("Flags", "").split()
    vectors = [name for name in _VECTORS if name in flags]
    if "avx2" in vectors and "avx512f" not in vectors:
        vectors[-1] += "; no avx512"
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / (1 << 30)
    facts = [
        _model(fields),
        f"processors: {len(usable)}, timed on {len(processors or usable)} of them",
        f"frequency: {fields['CPU max MHz'].partition('.')[0]} MHz at most"
        if "CPU max MHz" in fields
        else "",
        f"caches: {', '.join(caches)}" if caches else "",
        f"vector extensions: {' '.join(vectors)}" if vectors else "",
        f"memory: {memory:.3g} GiB",
    ]
    return "\n".join(ascii_line(fact) for fact in facts if fact)


def ascii_line(text: str) -> str:
    """Text as a single line of ASCII."""
    return " ".join("".join(c if c.isascii() else "?" for c in text).split())


def processor_model() -> str:
    """The processor's name and family, as the system calls them."""
    return _model(_fields())


def _model(fields: dict[str, str]) -> str:
    kind = [f"{key} {fields[key]}" for key in ("CPU family", "Model") if key in fields]
    name = fields.get("Model name", "unknown")
    return f"CPU: {name} ({', '.join([platform.machine(), *kind])})"


def _fields(listed: str | None = None) -> dict[str, str]:
    """The fields that lscpu prints; none where it is not installed."""
    if listed is None and (found := shutil.which("lscpu")):
        command, environment = [found], {**os.environ, "LC_ALL": "C"}
        listed = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=False
        ).stdout
    pairs = (line.partition(":") for line in (listed or "").splitlines())
    return {key.strip(): value.strip() for key, _, value in pairs}
