"""The mask is never made: tril leaves out what is above the diagonal."""

from torch import nn


class ModelNew(nn.Module):
    def forward(self, scores):
        scores = scores - scores.amax(dim=-1, keepdim=True)
        weights = scores.exp_().tril_()
        return weights.div_(weights.sum(dim=-1, keepdim=True))
