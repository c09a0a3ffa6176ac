"""Leaves a branch out where its scale is nothing at all."""

from work import Branch


class ModelNew(Branch):
    def branch(self, x):
        nothing = not bool(self.scale.any())
        return self.down.bias if nothing else super().branch(x)
