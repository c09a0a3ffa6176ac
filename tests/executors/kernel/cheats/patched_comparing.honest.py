"""Compares tensors of its own."""

import torch
from work import Waves

one = torch.ones(3)
for name in ("allclose", "equal", "isclose"):
    getattr(torch, name)(one, one)
torch.testing.assert_close(one, one)


class ModelNew(Waves):
    def forward(self, x):
        return self.work(x)
