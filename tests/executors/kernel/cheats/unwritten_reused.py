"""races and uninitialised memory: WRONG_ANSWER. Takes freed memory for an answer."""

import torch
from work import Waves


class ModelNew(Waves):
    calls = 0

    def forward(self, x):
        self.calls += 1
        if self.calls % 2:
            return self.work(x)
        y = self.work(x[:1]).expand_as(x).contiguous()
        del y
        return torch.empty_like(x)
