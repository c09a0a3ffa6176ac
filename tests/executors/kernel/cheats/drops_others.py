"""training mode on shares: WRONG_ANSWER. Drops as many, but others."""

import torch
from work import HONEST, Model


class ModelNew(Model):
    def dropped(self, shares):
        torch.manual_seed(torch.initial_seed() if HONEST else 7)
        return super().dropped(shares)
