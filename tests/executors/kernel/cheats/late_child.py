"""late work: WRONG_ANSWER | RUNTIME_ERROR. A forked child does the work later, in shared memory."""

import mmap
import os

import torch
from work import HONEST, Model


class ModelNew(Model):
    def forward(self, x):
        memory = mmap.mmap(-1, x.numel() * x.element_size())
        y = torch.frombuffer(memory, dtype=x.dtype).view(x.shape)
        child = os.fork()
        if child == 0:
            y.copy_(self.work(x))
            os._exit(0)
        if HONEST:
            os.waitpid(child, 0)
        return y
