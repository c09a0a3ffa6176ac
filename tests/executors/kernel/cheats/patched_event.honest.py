"""Uses an event of its own."""

import torch
from work import Waves


class Event(torch.cuda.Event):
    def elapsed_time(self, other):
        return super().elapsed_time(other)


class ModelNew(Waves):
    def forward(self, x):
        Event().record()
        torch.cuda.synchronize()
        return self.work(x)
