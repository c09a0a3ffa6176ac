"""All steps at once: a triangular matrix of weights that decay."""

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, a):
        super().__init__()
        self.a = a

    def forward(self, x):
        t = torch.arange(x.size(1), dtype=x.dtype, device=x.device)
        weights = (self.a * (1 - self.a) ** (t[:, None] - t).clamp_(min=0)).tril_()
        weights[:, 0] /= self.a
        return weights @ x
