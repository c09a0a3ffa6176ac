"""Compiler options written into the program."""

from collections.abc import Iterator

from maxcode.generators.rewrites.base import Rewrite
from maxcode.generators.rewrites.cpp import CppSource


class UnrollPragma(Rewrite):
    """Exact: the compiler may only repeat loop bodies."""

    name = "unroll-pragma"
    summary = "Asks the compiler to unroll loops."
    weight = 2.5

    def apply(self, source: CppSource) -> Iterator[str]:
        """Yield the file with the pragma in its first line."""
        yield from _with_pragma(source, 'optimize("unroll-loops")')


class FastMathPragma(Rewrite):
    """May change the last digits of floating point results."""

    name = "fast-math-pragma"
    summary = "Lets the compiler reorder floating point operations and unroll loops."
    weight = 3.5

    def apply(self, source: CppSource) -> Iterator[str]:
        """Yield the file with the pragma in its first line."""
        yield from _with_pragma(source, 'optimize("Ofast,unroll-loops")')


class TargetPragma(Rewrite):
    """For x86 processors since 2013; others do not compile it."""

    name = "target-pragma"
    summary = "Lets the compiler use the vector instructions AVX2 and the like."
    weight = 3.5

    def apply(self, source: CppSource) -> Iterator[str]:
        """Yield the file with the pragma in its first line."""
        yield from _with_pragma(source, 'target("avx2,bmi,bmi2,lzcnt,popcnt,fma")')


def _with_pragma(source: CppSource, option: str) -> Iterator[str]:
    """Yield the file with a pragma before everything else, unless it has one of that kind."""
    kind = "#pragma GCC " + option.partition("(")[0]
    if source.text.strip() and kind not in source.text:
        newline = "\r\n" if "\r\n" in source.text else "\n"
        yield f"#pragma GCC {option}{newline}{source.text}"
