"""The mean of squares, each of 11 bits and the rest."""

import torch
from work import Shares


class ModelNew(Shares):
    def mean(self, x):
        mantissa, exponent = torch.frexp(x)
        coarse = torch.ldexp((mantissa * 2048).round() / 2048, exponent)
        rest = x - coarse
        return (coarse * coarse + rest * (2 * coarse + rest)).mean(dim=1)
