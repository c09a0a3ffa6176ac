"""Waits for its child."""

import mmap
import os

import torch
from work import Waves


class ModelNew(Waves):
    def forward(self, x):
        memory = mmap.mmap(-1, x.numel() * x.element_size())
        y = torch.frombuffer(memory, dtype=x.dtype).view(x.shape)
        child = os.fork()
        if child == 0:
            y.copy_(self.work(x))
            os._exit(0)
        os.waitpid(child, 0)
        return y
