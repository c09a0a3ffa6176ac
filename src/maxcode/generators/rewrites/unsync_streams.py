"""std::cin and std::cout without the synchronisation with C's stdio."""

from collections.abc import Iterator

from maxcode.generators.rewrites.base import Site, SiteRewrite
from maxcode.generators.rewrites.cpp import CppSource, Edit
from maxcode.generators.rewrites.cpp.streams import C_INPUT, C_OUTPUT, main_body


class UnsyncStreams(SiteRewrite):
    """Not where one direction mixes both libraries: the order of output would change."""

    name = "unsync-streams"
    summary = "Reads and writes through C++ streams without synchronising them with C's stdio."
    weight = 7.0
    headers = ("iostream",)

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield the start of main."""
        body = main_body(source)
        reads, writes = source.mentions("cin"), source.mentions("cout")
        if body is None or not (reads or writes) or source.mentions("sync_with_stdio"):
            return
        if (reads and source.mentions(*C_INPUT)) or (writes and source.mentions(*C_OUTPUT)):
            return
        code = "\n    std::ios::sync_with_stdio(false);"
        if reads and not source.mentions("tie"):
            code += "\n    std::cin.tie(nullptr);"
        yield [Edit(body.start_byte + 1, body.start_byte + 1, code)]
