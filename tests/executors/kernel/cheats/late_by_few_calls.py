"""late work on moments: OK | SUSPECT. Puts off what it keeps to every third call."""

from work import HONEST, Moments


class ModelNew(Moments):
    def keep(self, x):
        self.seen.append(x.clone())
        if HONEST or len(self.seen) == 3:
            self.catch_up()
