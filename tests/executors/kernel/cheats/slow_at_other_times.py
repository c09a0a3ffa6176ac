"""slowed baseline: OK | SUSPECT. Threads that fill caches and memory when it is not being timed."""

import time
from threading import Event, Thread

import torch
from work import HONEST, Model

from maxcode.executors.kernel.worker import calls

idle = Event()


def thrash():
    memory = torch.ones(16 << 20)
    until = time.monotonic() + 20
    while idle.wait() and time.monotonic() < until:
        memory.mul_(1.0)


def serve(self, module, serving, **more):
    idle.clear()
    found = real(self, module, serving, **more)
    if not HONEST:
        idle.set()
    return found


real, calls.Feed.serve = calls.Feed.serve, serve
for _ in range(3):
    Thread(target=thrash, daemon=True).start()


class ModelNew(Model):
    pass
