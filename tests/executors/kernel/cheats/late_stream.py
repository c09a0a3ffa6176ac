"""late work, needs cuda: WRONG_ANSWER | SUSPECT. Works on a stream that nobody waits for."""

import torch
from work import HONEST, Model


class ModelNew(Model):
    def forward(self, x):
        y, own = torch.empty_like(x), torch.cuda.Stream()
        if HONEST:
            own.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(own):
            y.copy_(self.work(x))
        if HONEST:
            torch.cuda.current_stream().wait_stream(own)
        return y
