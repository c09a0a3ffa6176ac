"""Keeps memory for the work on weights."""

import torch
from work import Steps


class ModelNew(Steps):
    def __init__(self, columns):
        super().__init__(columns)
        self.place = torch.empty(columns, columns)

    def shares(self):
        torch.sin(self.mix.detach(), out=self.place)
        return torch.softmax(self.place.mul_(3.0), dim=1)
