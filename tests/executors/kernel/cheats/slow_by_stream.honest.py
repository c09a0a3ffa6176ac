"""Works on half of the rows on a stream of its own, and waits for it."""

import torch
from work import Waves


class ModelNew(Waves):
    def forward(self, x):
        first, second = x.chunk(2)
        current, own = torch.cuda.current_stream(), torch.cuda.Stream()
        own.wait_stream(current)
        with torch.cuda.stream(own):
            below = self.work(second)
        above = self.work(first)
        current.wait_stream(own)
        below.record_stream(current)
        return torch.cat((above, below))
