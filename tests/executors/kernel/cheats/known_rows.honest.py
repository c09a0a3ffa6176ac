"""Normalises rows by their moments."""

import torch
from work import Scales


class ModelNew(Scales):
    def normal_rows(self, x):
        variance, mean = torch.var_mean(x, dim=1, correction=0, keepdim=True)
        normal = (x - mean) * torch.rsqrt(variance + self.rows.eps)
        return torch.addcmul(self.rows.bias, normal, self.rows.weight)
