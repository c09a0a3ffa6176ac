"""Gives memory again that nobody has any more, all of it written, as torch's own allocator does."""

import sys

import torch
from work import Tokens


class ModelNew(Tokens):
    def gradient(self, tokens, rows):
        kept = self.__dict__.setdefault("kept", [])
        for one in kept:
            if sys.getrefcount(one) <= 3:  # the list, the loop and this question
                return one.zero_().index_add_(0, tokens, rows)
        kept.append(torch.zeros_like(self.table))
        return kept[-1].index_add_(0, tokens, rows)
