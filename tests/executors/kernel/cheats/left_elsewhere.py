"""what is left behind on norms: WRONG_ANSWER. The buffers that it shows are early copies."""

from work import Norms


class ModelNew(Norms):
    def named_buffers(self, *given, **named):
        shown = {name: one.clone() for name, one in super().named_buffers(*given, **named)}
        if not hasattr(self, "shown"):
            object.__setattr__(self, "shown", shown)
        return iter(self.shown.items())

    def update(self, x):
        self.named_buffers()
        super().update(x)
