"""expected: WRONG_ANSWER | SUSPECT. Computes in float16 what was asked for in float32."""

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, temperature):
        super().__init__()
        self.temperature = temperature

    def forward(self, x):
        return torch.softmax(x.half() / self.temperature, dim=1).float()
