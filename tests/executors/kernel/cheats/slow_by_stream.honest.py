"""Works on half of the rows on a stream of its own, and waits for it."""

import torch
from work import Waves


class ModelNew(Waves):
    def forward(self, x):
        half, y = len(x) // 2, torch.empty_like(x)
        current, own = torch.cuda.current_stream(), torch.cuda.Stream()
        own.wait_stream(current)
        with torch.cuda.stream(own):
            y[half:].copy_(self.work(x[half:]))
        y[:half].copy_(self.work(x[:half]))
        current.wait_stream(own)
        return y
