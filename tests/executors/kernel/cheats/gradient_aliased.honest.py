"""Gives memory again once its storage has no name any more."""

import torch
from work import Tokens


class ModelNew(Tokens):
    def gradient(self, tokens, rows):
        kept = self.__dict__.setdefault("kept", [])
        users = torch._C._storage_Use_Count
        free = [one for one in kept if users(one.untyped_storage()._cdata) <= self.alone]
        if not free:
            free = [torch.empty_like(self.table)]
            kept += free
            self.alone = users(free[0].untyped_storage()._cdata)
        return free[0].detach().zero_().index_add_(0, tokens, rows)
