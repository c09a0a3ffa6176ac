"""Sums of 2, 4, 8 and 16 neighbours are each two of the former; 24 are 16 and 8."""

from torch import nn


class ModelNew(nn.Module):
    def __init__(self, window):
        super().__init__()
        self.window = window

    def forward(self, x):
        sums, width, taken, total = x, 1, 0, None
        length = x.size(1) - self.window + 1
        while taken < self.window:
            if self.window & width:
                part = sums[:, taken : taken + length]
                total = part if total is None else total + part
                taken += width
            if taken < self.window:
                sums, width = sums[:, :-width] + sums[:, width:], 2 * width
        return total / self.window
