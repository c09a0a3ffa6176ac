"""Comments and files of tests of all commands that write them."""

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from tests.cli.conftest import Run

from maxcode.cli.forms import Outcome, Row

MANY = Outcome(
    "judge",
    "sum",
    "1 of 30 verdicts ok",
    columns=("program", "speedup"),
    rows=[Row(f"a|`{n}", ("1.2x",), "broken" if n else "") for n in range(30)],
    facts=[f"fact {n}: <b>" for n in range(30)],
)


def test_a_comment_has_few_lines_and_no_markup_of_others() -> None:
    text = MANY.markdown()
    assert text.startswith("### sum: 1 of 30 verdicts ok\n")
    assert "| `a\\|'0` | 1.2x |\n" in text
    assert "| `a\\|'1` | `1.2x` |\n" in text
    assert "| 22 more |  |\n" in text
    assert text.endswith("- fact 28: `<b>`\n- fact 29: `<b>`\n")
    assert text.count("\n") <= 25


def test_a_file_of_tests_counts_its_failures() -> None:
    suite = ET.fromstring(MANY.junit())  # noqa: S314 - our own
    assert (suite.get("tests"), suite.get("failures")) == ("31", "29")
    assert [case.get("name") for case in suite][:2] == ["judge", "a|`0"]


@pytest.mark.slow
def test_commands_write_both_files(inside: Run, folder: Path, task: Path) -> None:
    slow = (task / "main.cpp").read_text()
    (folder / "fast.cpp").write_text(slow.replace("10000000", "10"))
    (folder / "wrong.cpp").write_text(slow.replace("n * 2", "n * 3"))
    files = ("--markdown", "o.md", "--junit", "o.xml", "--sandbox", "process")
    searched = ("--generator", "pool:folder=.", "--budget", "2", "--fuzz", "0", "--store", "s.db")
    for command, comment, failures in (
        (("judge", str(task), "fast.cpp", "wrong.cpp"), "1 of 2 verdicts ok", "1"),
        (("optimize", str(task), *searched), ": faster\n", "0"),
        (("compare", str(task), "--seeds", "1", *searched), "### comparison: ", "0"),
    ):
        done = inside(*command, *files, "--json", code=0)
        assert json.loads(done.stdout)
        assert comment in (folder / "o.md").read_text()
        suite = ET.parse(folder / "o.xml").getroot()  # noqa: S314 - our own
        assert suite.get("failures") == failures
    refused = inside("judge", str(task), "fast.cpp", "--markdown", "fast.cpp/o.md")
    assert (refused.returncode, "cannot write" in refused.stderr) == (2, True)
