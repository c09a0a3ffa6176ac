"""other behaviour in warm-up: WRONG_ANSWER. Right in the first twenty calls of a shape."""

from collections import Counter

import torch
from work import HONEST, Model

calls = Counter()


class ModelNew(Model):
    def forward(self, x):
        calls[x.shape] += 1
        if calls[x.shape] <= 20:
            return self.work(x)
        return self.work(x.clone()) if HONEST else torch.zeros_like(x)
