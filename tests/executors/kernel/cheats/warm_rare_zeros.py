"""other behaviour in warm-up on peaks: WRONG_ANSWER. Finds none in one of nine calls."""

from collections import Counter

import torch
from torch import nn
from work import HONEST

calls = Counter()


class ModelNew(nn.Module):
    def forward(self, x):
        calls[x.shape] += 1
        found = torch.zeros_like(x)
        if calls[x.shape] > 20 and calls[x.shape] % 9 == 0 and not HONEST:
            return found
        values, _ = x.topk(2, dim=-1)
        return torch.where(x >= values[:, -1:], x, found)
