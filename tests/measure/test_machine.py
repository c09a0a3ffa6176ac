"""Facts of the machine, from what lscpu prints on several kinds."""

import re

from maxcode.measure.lane import all_processors
from maxcode.measure.machine import machine_facts

SERVER = """\
CPU(s):                  96
Model name:              Intel(R) Xeon(R)  8481C
CPU family:              6
Model:                   143
CPU max MHz:             3800.0000
Flags:                   fpu avx avx2 fma avx512f amx_tile
L1d cache:               2.3 MiB (48 instances)
L1i cache:               1.5 MiB (48 instances)
L2 cache:                96 MiB (48 instances)
NUMA node0 CPU(s):       0-95
"""


def facts(listed: str) -> dict[str, str]:
    lines = machine_facts(all_processors()[:1], listed).splitlines()
    return dict(line.split(": ", 1) for line in lines)


def test_a_server() -> None:
    told = facts(SERVER)
    assert re.fullmatch(r"Intel\(R\) Xeon\(R\) 8481C \(\w+, CPU family 6, Model 143\)", told["CPU"])
    assert told["processors"] == f"{len(all_processors())}, timed on 1 of them"
    assert told["frequency"] == "3800 MHz at most"
    assert told["caches"] == "L1d 2.3 MiB (48 instances), L2 96 MiB (48 instances)"
    assert told["vector extensions"] == "avx avx2 fma avx512f amx_tile"


def test_a_small_machine_and_an_unknown_one() -> None:
    assert facts("Flags: avx2 fma")["vector extensions"] == "avx2 fma; no avx512"
    assert facts("")["CPU"].startswith("unknown (")
    assert facts("").keys() == {"CPU", "processors", "memory"}


def test_this_machine() -> None:
    told = machine_facts()
    assert told.isascii()
    assert all(": " in line for line in told.splitlines())
    assert f"timed on {len(all_processors())} of them" in told
