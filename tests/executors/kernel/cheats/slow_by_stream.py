"""slowed baseline, needs cuda, known limit: OK | SUSPECT. Leaves products on a stream of its own.

They are still there when the reference is timed next, unless somebody waits for all streams: its
own process waits for the current one only.
"""

import torch
from work import HONEST, Model

from maxcode.executors.kernel.worker import forward

if not HONEST:
    forward._synchronize = lambda: torch.cuda.current_stream().synchronize()


class ModelNew(Model):
    ones = None

    def forward(self, x):
        y = self.work(x)
        if self.ones is None:
            self.ones = torch.ones(2048, 2048, device=x.device)
            self.product = torch.empty_like(self.ones)
            self.own = torch.cuda.Stream()
        with torch.cuda.stream(self.own):
            for _ in range(0 if HONEST else 8):
                torch.mm(self.ones, self.ones, out=self.product)
        return y
