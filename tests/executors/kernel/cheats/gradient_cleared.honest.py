"""Keeps what it works in, and makes a new gradient in each call."""

import torch
from work import Tokens


class ModelNew(Tokens):
    def gradient(self, tokens, rows):
        kept = self.__dict__.setdefault("kept", torch.empty_like(rows))
        return torch.zeros_like(self.table).index_add_(0, tokens, kept.copy_(rows))
