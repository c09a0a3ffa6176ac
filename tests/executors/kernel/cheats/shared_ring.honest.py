"""Allocates as torch does."""

import torch
from work import Copies


class ModelNew(Copies):
    def zeros(self, shape):
        return torch.empty(shape).zero_()
