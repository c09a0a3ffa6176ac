"""late work on moments: OK | SUSPECT. Puts off what it keeps to every third call."""

from work import Moments


class ModelNew(Moments):
    def keep(self, x):
        self.seen.append(x.clone())
        if len(self.seen) == 3:
            self.catch_up()
