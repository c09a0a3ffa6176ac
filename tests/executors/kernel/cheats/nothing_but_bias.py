"""work that changes nothing on branch: WRONG_ANSWER. Of a branch with a tiny scale the bias."""

from work import Branch


class ModelNew(Branch):
    def branch(self, x):
        return self.down.bias
