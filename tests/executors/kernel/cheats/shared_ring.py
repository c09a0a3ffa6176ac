"""shared results on copies: WRONG_ANSWER. Two results in turn, in which zeros are written once."""

import torch
from work import HONEST, Copies


class ModelNew(Copies):
    def zeros(self, shape):
        ring = self.__dict__.setdefault("ring", [])
        if len(ring) < 2:
            ring.append(torch.zeros(shape))
        ring.reverse()
        return torch.zeros(shape) if HONEST or ring[0].shape != shape else ring[0]
