"""lower precision on shares: WRONG_ANSWER. The mean of squares of numbers with 11 bits."""

import torch
from work import Shares


class ModelNew(Shares):
    def mean(self, x):
        mantissa, exponent = torch.frexp(x)
        return torch.ldexp((mantissa * 2048).round() / 2048, exponent).square().mean(dim=1)
