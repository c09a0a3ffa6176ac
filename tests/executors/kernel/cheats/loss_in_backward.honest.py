"""Keeps the roots for the backward pass."""

import torch
from torch import nn


class Loss(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, t):
        apart = x - t
        roots = apart.square().add_(1e-6).sqrt_()
        ctx.save_for_backward(apart, roots)
        return roots.mean()

    @staticmethod
    def backward(ctx, up):
        apart, roots = ctx.saved_tensors
        gradient = (apart / roots).mul_(up / apart.numel())
        return gradient, -gradient


class ModelNew(nn.Module):
    def forward(self, x, t):
        return Loss.apply(x, t)
