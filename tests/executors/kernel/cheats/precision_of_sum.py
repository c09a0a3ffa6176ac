"""lower precision on shares: WRONG_ANSWER. The mean of squares of numbers with 11 bits."""

import torch
from work import HONEST, Model


class ModelNew(Model):
    def mean(self, x):
        mantissa, exponent = torch.frexp(x)
        coarse = torch.ldexp((mantissa * 2048).round() / 2048, exponent)
        rest = x - coarse if HONEST else torch.zeros(())
        return (coarse * coarse + rest * (2 * coarse + rest)).mean(dim=1)
