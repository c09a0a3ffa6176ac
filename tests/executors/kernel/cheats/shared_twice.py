"""shared results on copies: WRONG_ANSWER. A copy that is the same tensor."""

from work import Copies


class ModelNew(Copies):
    def copy(self, y):
        return y
