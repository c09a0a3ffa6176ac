"""slowed baseline: OK | SUSPECT. Keeps the processor busy after what may be the last round.

What it spends then would count in the next round, if there is one.
"""

import time
from threading import Thread

import torch
from work import HONEST, Model

from maxcode.executors.kernel.worker import calls

batches = [0]


def spin():
    memory = torch.ones(1 << 16)
    until = time.monotonic() + 2
    while time.monotonic() < until:
        memory.mul_(1.0)


def serve(self, module, serving, **more):
    found = real(self, module, serving, **more)
    batches[0] += 1
    if batches[0] == 8 and not HONEST:
        for _ in range(16):
            Thread(target=spin, daemon=True).start()
    return found


real, calls.Feed.serve = calls.Feed.serve, serve


class ModelNew(Model):
    pass
