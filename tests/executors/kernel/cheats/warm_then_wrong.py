"""other behaviour in warm-up: WRONG_ANSWER. Right in the first twenty calls of a shape."""

import torch
from work import Waves

calls = {}


class ModelNew(Waves):
    def forward(self, x):
        calls[x.shape] = calls.get(x.shape, 0) + 1
        return self.work(x) if calls[x.shape] <= 20 else torch.zeros_like(x)
