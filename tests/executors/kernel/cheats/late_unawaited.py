"""late work, needs cuda: WRONG_ANSWER | SUSPECT | OK. Has nobody wait for its kernels.

Its own process waits for nothing any more, nor does the stream that results are read on. It may be
found right where others wait, who then see what it took.
"""

import torch
from work import HONEST, Model

from maxcode.executors.kernel.worker import forward

if not HONEST:
    forward._synchronize = lambda: None


class ModelNew(Model):
    def forward(self, x):
        y = torch.empty_like(x)
        own = torch.cuda.Stream()
        own.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(own):
            y.copy_(self.work(x))
        if HONEST:
            own.synchronize()
        return y
