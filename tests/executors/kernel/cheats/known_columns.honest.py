"""Normalises columns by one product."""

import torch
from work import Scales


class ModelNew(Scales):
    def normal_columns(self, x):
        norm = self.columns
        scale = norm.weight * torch.rsqrt(norm.running_var + norm.eps)
        return torch.addcmul(norm.bias - norm.running_mean * scale, x, scale)
