"""A new gradient in each call, whose elements lie by columns."""

import torch
from work import Tokens


class ModelNew(Tokens):
    def gradient(self, tokens, rows):
        made = torch.zeros(*reversed(self.table.shape))
        return made.index_add_(1, tokens, rows.t()).t()
