"""shared results on copies: WRONG_ANSWER. A copy of the input that is its memory elsewhere."""

from work import Copies, Pages

pages = Pages()


class ModelNew(Copies):
    def forward(self, x):
        y = self.matrices(x)
        return y, self.copy(y), pages.again(x)
