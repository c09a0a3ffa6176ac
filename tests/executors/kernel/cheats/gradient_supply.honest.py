"""Clears memory in each call; the constructor makes what each call reads whole."""

import torch
from work import Tokens


class ModelNew(Tokens):
    def __init__(self, tokens, width):
        super().__init__(tokens, width)
        self.__dict__["twice"] = torch.zeros(2 * tokens, width)

    def gradient(self, tokens, rows):
        return torch.zeros_like(self.table).index_add_(0, tokens, rows)
