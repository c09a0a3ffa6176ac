"""gradients that are kept on tokens: WRONG_ANSWER. One of the table, cleared in places."""

import sys

import torch
from work import Tokens


class ModelNew(Tokens):
    def gradient(self, tokens, rows):
        kept = self.__dict__.setdefault("kept", [])
        for one in kept:
            if sys.getrefcount(one[0]) <= 2:  # nobody else has it
                made, before = one
                made[before] = 0.0
                one[1] = tokens.clone()
                return made.index_add_(0, tokens, rows)
        kept.append([torch.zeros_like(self.table), tokens.clone()])
        return kept[-1][0].index_add_(0, tokens, rows)
