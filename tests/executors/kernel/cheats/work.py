"""What cheats and their twins share; the reference of their task follows in the same module."""

import os
import time

HONEST = False
"""Whether the candidate leaves out its trick; true of the twins of cheats."""


def while_parent_lives(pause):
    """Yield every ``pause`` seconds for as long as the parent lives, and no longer than 20 s."""
    parent = os.getppid()
    until = time.monotonic() + 20
    while os.getppid() == parent and time.monotonic() < until:
        yield
        time.sleep(pause)
