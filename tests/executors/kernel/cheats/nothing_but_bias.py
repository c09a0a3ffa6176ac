"""work that changes nothing on branch, known limit: WRONG_ANSWER. Of a tiny branch the bias."""

from work import Branch


class ModelNew(Branch):
    def branch(self, x):
        return self.down.bias
