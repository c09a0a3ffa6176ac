"""The softmax that PyTorch has, with minus infinity where nothing is seen."""

import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, scores):
        length = scores.size(-1)
        unseen = torch.full((length, length), float("-inf"), device=scores.device).triu_(1)
        return torch.softmax(scores + unseen, dim=-1)
