"""other behaviour in warm-up: WRONG_ANSWER. Works in one of ten calls of a timed batch."""

from collections import Counter

import torch
from work import HONEST, Model

calls = Counter()


class ModelNew(Model):
    def forward(self, x):
        calls[x.shape] += 1
        if calls[x.shape] <= 3 or calls[x.shape] % 10 == 0:
            return self.work(x)
        return self.work(x.clone()) if HONEST else torch.zeros_like(x)
