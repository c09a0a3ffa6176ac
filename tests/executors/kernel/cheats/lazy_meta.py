"""lazy result: RUNTIME_ERROR | WRONG_ANSWER. A tensor with a shape and no numbers."""

import torch
from work import Waves


class ModelNew(Waves):
    def forward(self, x):
        return torch.empty_like(x, device="meta")
