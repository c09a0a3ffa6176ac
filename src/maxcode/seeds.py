"""Seeds for everything random, all derived from a search's one."""

from __future__ import annotations

import hashlib


def derive(seed: int, purpose: str, number: int) -> int:
    """A seed of its own for each purpose and expansion, the same on every machine."""
    digest = hashlib.sha256(f"{seed}:{purpose}:{number}".encode()).digest()
    return int.from_bytes(digest[:8], "big")
