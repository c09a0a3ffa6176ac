"""Threads that wait for something that never comes."""

from threading import Event, Thread

import torch
from work import Waves

idle = Event()


def thrash():
    memory = torch.ones(16 << 10)
    while idle.wait():
        memory.mul_(1.0)


for _ in range(3):
    Thread(target=thrash, daemon=True).start()


class ModelNew(Waves):
    pass
