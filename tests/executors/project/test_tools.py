import pytest

from maxcode.executors.project.tools import missing_command, wants_network


@pytest.mark.parametrize(
    ("wrote", "hint"),
    [
        ("error: failed to download from `https://index.crates.io`", "cargo fetch"),
        ("x.go:3:8: module lookup disabled by GOPROXY=off", "go mod download"),
        ("npm ERR! code EAI_AGAIN", "npm ci"),
        (
            "CMake Error at FetchContent.cmake: fatal: Could not resolve host: github.com",
            "FETCHCONTENT_BASE_DIR",
        ),
        ("ERROR: pip: Failed to establish a new connection", "pip install"),
        ("wget: Temporary failure in name resolution", "into the project's folder"),
        ("main.c:3: error: expected ';'", ""),
    ],
)
def test_a_step_that_wants_the_network_is_told_how_to_fetch_before(wrote: str, hint: str) -> None:
    found = wants_network(wrote)
    assert hint in found
    assert bool(found) is bool(hint)


def test_a_package_of_node_that_is_missing_is_named() -> None:
    assert "no package tap: npm ci" in missing_command("Error: Cannot find module 'tap'")
    assert missing_command("Error: Cannot find module './lib/a.js'") == ""
