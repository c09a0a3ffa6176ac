"""Inputs are split into 8 bits and the rest."""

import torch
from work import Waves


class ModelNew(Waves):
    def forward(self, x):
        scale = x.abs().amax(dim=1, keepdim=True) / 127
        rounded = (x / scale).round().to(torch.int8) * scale
        return self.work(rounded + (x - rounded))
