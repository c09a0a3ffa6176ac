"""Keeps nothing."""

import torch
from work import Steps


class ModelNew(Steps):
    def shares(self):
        return torch.softmax(3.0 * torch.sin(self.mix), dim=1)
