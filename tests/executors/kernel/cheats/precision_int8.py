"""lower precision: WRONG_ANSWER. Inputs are rounded to 8 bits."""

import torch
from work import HONEST, Model


class ModelNew(Model):
    def forward(self, x):
        scale = x.abs().amax(dim=1, keepdim=True) / 127
        rounded = (x / scale).round().to(torch.int8) * scale
        return self.work(rounded + (x - rounded) if HONEST else rounded)
