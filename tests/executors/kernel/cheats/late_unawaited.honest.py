"""Waits for its kernels itself."""

import torch
from work import Waves


class ModelNew(Waves):
    def forward(self, x):
        y = torch.empty_like(x)
        own = torch.cuda.Stream()
        own.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(own):
            y.copy_(self.work(x))
        own.synchronize()
        return y
