"""Outcomes of commands for elsewhere: a comment in Markdown, and JUnit's XML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

from maxcode.files import write_text
from maxcode.text import plain

_ROWS = 8  # of a comment
_FACTS = 7


@dataclass(frozen=True, slots=True)
class Row:
    """A benchmark, program or method with its figures; ``failure`` is a word, empty for none."""

    name: str
    figures: Sequence[str]
    failure: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Outcome of a command: as a whole, and row by row.

    ``test`` names it among JUnit's tests, ``facts`` are of the form ``name: text``, and the last
    two are always shown.
    """

    command: str
    subject: str
    word: str
    text: str = ""
    test: str = ""
    failure: str = ""
    columns: Sequence[str] = ()
    rows: Sequence[Row] = ()
    facts: Sequence[str] = ()

    def markdown(self) -> str:
        """A comment of at most 25 lines for a pull request; text of others is code in it."""
        lines = [f"### {plain(self.subject)}: {self.word}", ""]
        lines += [f"    {plain(one)[:200]}" for one in self.text.splitlines()[-3:]]
        if self.rows:
            lines += ["", _row(self.columns), _row(["---", *["---:"] * (len(self.columns) - 1)])]
        for one in self.rows[:_ROWS]:
            shown = _code if one.failure else _cell  # a failure has words of others
            lines.append(_row([_code(one.name), *map(shown, one.figures)]))
        if (more := len(self.rows) - _ROWS) > 0:
            lines.append(_row([f"{more} more", *[""] * (len(self.columns) - 1)]))
        lines.append("")
        for fact in (*self.facts[:-2][: _FACTS - 2], *self.facts[-2:]):
            name, _, said = fact.partition(": ")
            lines.append(f"- {name}: {_code(said)}" if said else f"- {_code(name)}")
        return "\n".join(lines) + "\n"

    def junit(self) -> str:
        """JUnit's XML: a test for the whole, and one for each row."""
        whole = Row(self.test or self.command, (self.text, *self.facts), self.failure)
        cases = [whole, *self.rows]
        suite = ET.Element("testsuite", name=f"maxcode {self.command}", tests=str(len(cases)))
        suite.set("failures", str(sum(bool(one.failure) for one in cases)))
        for one in cases:
            name = plain(one.name)
            case = ET.SubElement(suite, "testcase", classname=plain(self.subject), name=name)
            kind = "failure" if one.failure else "system-out"
            said = ET.SubElement(case, kind, message=one.failure)
            said.text = plain("\n".join(one.figures))
        ET.indent(suite)
        return ET.tostring(suite, "unicode", xml_declaration=True) + "\n"

    def write(self, markdown: str | None, junit: str | None) -> None:
        """Write the files that are named."""
        for path, form in ((markdown, self.markdown), (junit, self.junit)):
            if path:
                write_text(Path(path), form())


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(text: str) -> str:
    return " ".join(plain(text).replace("|", "\\|").split())


def _code(text: str) -> str:
    """Text as code in Markdown, also within a table."""
    return f"`{_cell(text.replace('`', chr(39)))}`"
