"""Reports of test commands: the names of the tests that passed."""

from __future__ import annotations

import re
from xml.etree import ElementTree

_PASSED = (
    re.compile(r"^PASSED (\S.*?)\s*$", re.MULTILINE),  # pytest -rp
    re.compile(r"^\s*\d+/\d+ Test\s+#\d+: (.+?) \.+\s*Passed", re.MULTILINE),  # ctest
    re.compile(
        r"^\s*\d+/\d+ (?:\S+:\S+ / |\S+ / )?(\S.*?)\s+OK\s+[\d.]+ ?s", re.MULTILINE
    ),  # meson
    re.compile(  # TAP, with subtests; neither skipped tests nor expected failures count
        r"^ *ok \d+(?: - |[ \t]+)(?!.*(?<!\\)#[ \t]*(?i:skip|todo))"
        r"(.*?)(?:[ \t]+#[ \t]*time=[\d.]+m?s)?(?:[ \t]*\{)?[ \t]*$",
        re.MULTILINE,
    ),
    re.compile(  # mocha, jest --verbose, vitest, node --test
        r"^ *[✓✔√] (\S.*?)(?:[ \t]+\(?\d+(?:\.\d+)? ?m?s\)?)?[ \t]*$", re.MULTILINE
    ),
    re.compile(r"^\s*--- PASS: (\S+)", re.MULTILINE),  # go test -v
    re.compile(r"^test (\S+) \.\.\. ok\b", re.MULTILINE),  # cargo
    re.compile(r"^\[\s+OK \] (\S+)", re.MULTILINE),  # GoogleTest
    re.compile(r"^(\w+ \([\w.]+\)) \.\.\. ok$", re.MULTILINE),  # unittest -v
    re.compile(r"^\s*PASS(?:ED)?[: ]\s*(\S.*?)\s*$", re.MULTILINE),  # automake and the like
)


def passed_tests(output: str, report: bytes = b"") -> frozenset[str]:
    """Names of the tests that passed, from a test command's output or JUnit report.

    Empty if both are unreadable; then the exit status alone decides.
    """
    found = {name for pattern in _PASSED for name in pattern.findall(output)}
    return frozenset(found | set(_junit(report)))


def without_passed(output: str) -> str:
    """A test command's output without lines of passed tests, which hide the others."""
    lines = output.split("\n")
    return "\n".join(one for one in lines if not any(each.match(one) for each in _PASSED))


def _junit(report: bytes) -> list[str]:
    if not report.lstrip().startswith(b"<"):
        return []
    if b"<!ENTITY" in report or b"<!DOCTYPE" in report:  # which no such tool writes
        return []
    try:
        root = ElementTree.fromstring(report)  # noqa: S314 - without entities it is only parsed
    except ElementTree.ParseError:
        return []
    bad = ("failure", "error", "skipped")
    return [
        f"{case.get('classname', '')}.{case.get('name', '')}"
        for case in root.iter("testcase")
        if not any(case.find(name) is not None for name in bad)
    ]
