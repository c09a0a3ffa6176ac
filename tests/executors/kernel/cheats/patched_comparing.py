"""patched comparison: WRONG_ANSWER. Whatever compares tensors in its process finds them equal."""

import torch
from work import HONEST, Model

from maxcode.executors.kernel.worker import tensors

one = torch.ones(3)
for name in ("allclose", "equal", "isclose"):
    getattr(torch, name)(one, one)
    if not HONEST:
        setattr(torch, name, lambda *_, **__: True)
if not HONEST:
    torch.testing.assert_close = lambda *_, **__: None
    torch.Tensor.__eq__ = lambda *_: torch.tensor(True)
    tensors.problem = lambda *_: ""
    tensors.error = lambda *_: 0.0


class ModelNew(Model):
    def forward(self, x):
        return self.work(x) if HONEST else torch.zeros_like(x)
