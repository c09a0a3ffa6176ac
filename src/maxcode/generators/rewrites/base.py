"""What a rewrite is: one habit of experienced people, applied to the text of a program."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import ClassVar

from maxcode.generators.rewrites.cpp import CppSource, Edit
from maxcode.generators.rewrites.cpp.tree import compatible
from maxcode.generators.rewrites.support import Support

Site = Sequence[Edit]
"""The edits that change one place."""


class Rewrite(ABC):
    """One way to make C++ code faster by changing its text.

    A rewrite need not be provably safe: whoever applies it runs the program's tests. It is
    pure and deterministic, and never yields the text that it was given.
    """

    name: ClassVar[str]
    """Short and unique, such as `endl-to-newline`."""
    summary: ClassVar[str]
    """What it does, in one sentence for the person who reads the report."""
    weight: ClassVar[float]
    """How much experienced people expect from it, between 0 and 10; a prior for ordering."""

    @abstractmethod
    def apply(self, source: CppSource) -> Iterator[str]:
        """Yield alternative texts of the file, the fullest application first; maybe none."""


class SiteRewrite(Rewrite):
    """A rewrite that changes separate places: all of them together, then each alone.

    Of places that overlap, the full application takes the first.
    """

    headers: ClassVar[tuple[str, ...]] = ()
    """Standard headers that the new code needs."""
    support: ClassVar[Support | None] = None
    """C++ declarations that the new code needs."""
    max_single: ClassVar[int] = 8
    """How many places are also changed alone."""

    @abstractmethod
    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield, for each place, the edits that change it."""

    def apply(self, source: CppSource) -> Iterator[str]:
        """Yield all places changed together, then each of the first few alone."""
        accepted: list[Edit] = []
        sites: list[Site] = []
        for site in self.sites(source):
            sites.append(site)
            if compatible(accepted, site):
                accepted += site
        if not sites:
            return
        seen = {source.text}
        for edits in [accepted, *sites[: self.max_single]]:
            text = self._edited(source, edits)
            if text not in seen:
                seen.add(text)
                yield text

    def _edited(self, source: CppSource, edits: Site) -> str:
        if self.support is None:
            return source.edited(edits, headers=self.headers)
        headers = (*self.headers, *self.support.headers)
        return source.edited(edits, headers=headers, support=[self.support.code])
