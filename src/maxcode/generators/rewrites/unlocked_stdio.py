"""Single characters read and written without taking a lock each time."""

from collections.abc import Iterator

from maxcode.generators.rewrites.base import Site, SiteRewrite
from maxcode.generators.rewrites.cpp import CppSource, replace

_UNLOCKED = {"getchar": "getchar_unlocked", "putchar": "putchar_unlocked"}


class UnlockedStdio(SiteRewrite):
    """POSIX only; a program with threads is left alone."""

    name = "unlocked-stdio"
    summary = "Reads and writes single characters without locking the stream each time."
    weight = 3.0
    headers = ("cstdio",)
    max_single = 0

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield each call of getchar and putchar."""
        if source.mentions("thread", "async", "pthread_create"):
            return
        for call in source.walk("call_expression"):
            callee = call.child_by_field_name("function")
            name = _UNLOCKED.get(source.callee(call))
            if callee is not None and name is not None:
                yield [replace(callee, name)]
