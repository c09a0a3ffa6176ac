"""What people are told where bubblewrap cannot work."""

import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from maxcode.errors import ToolError
from maxcode.sandbox.bubblewrap import BubblewrapSandbox


@pytest.mark.parametrize(
    ("complaint", "told"),
    [
        (None, ("bubblewrap is not installed", "apt install bubblewrap")),
        ("bwrap: Unknown option --size", ("is too old: 0.8 or newer is needed",)),
        ("bwrap: No permissions to create a namespace", ("without the right to make namespaces",)),
    ],
)
def test_it_is_missing_or_does_not_work(
    complaint: str | None, told: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if complaint:
        bwrap = tmp_path / "bwrap"
        bwrap.write_text(f"#!/bin/sh\necho '{complaint}' >&2; exit 1\n")
        bwrap.chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    else:
        monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolError) as raised:
        BubblewrapSandbox()
    for part in (*told, complaint or "", "--sandbox process"):
        assert part in str(raised.value)


_FORBIDDEN = """
    import ctypes, os, sys
    from pathlib import Path
    from maxcode.errors import ToolError
    from maxcode.sandbox.bubblewrap import BubblewrapSandbox

    library = ctypes.CDLL(None)
    if os.geteuid() == 0:
        BubblewrapSandbox()  # imports what cannot be found after this:
        os.setgid(12345)
        os.setuid(12345)
    os.environ["XDG_CACHE_HOME"] = sys.argv[1]
    if library.unshare(0x10000000) != 0:  # CLONE_NEWUSER
        sys.exit(77)
    Path("/proc/sys/user/max_user_namespaces").write_text("0")  # in the new one only
    try:
        BubblewrapSandbox()
    except ToolError as error:
        print(error)
"""


@pytest.mark.slow
def test_user_namespaces_are_forbidden(anybodys: Path) -> None:
    """For real: in a namespace of its own, nobody may make another."""
    if shutil.which("bwrap") is None:
        pytest.skip("needs bubblewrap")
    command = [sys.executable, "-c", textwrap.dedent(_FORBIDDEN), str(anybodys)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode == 77:
        pytest.skip("no user namespaces here")
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith("bubblewrap is installed, but user namespaces are forbidden here")
    assert "sysctl user.max_user_namespaces=" in run.stdout
    assert "--sandbox process" in run.stdout


@pytest.mark.slow
def test_root_as_the_only_user_of_a_namespace() -> None:
    """Linux limits the processes of such a root only if it is an ordinary user in truth."""
    if shutil.which("bwrap") is None:
        pytest.skip("needs bubblewrap")
    script = "from maxcode import BubblewrapSandbox as B; print(B()._administrator)"
    nested = ["unshare", "--user", "--map-root-user", sys.executable, "-c", script]
    if subprocess.run([*nested[:3], "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("no user namespaces here")
    run = subprocess.run(nested, capture_output=True, text=True, check=False)
    if os.geteuid() == 0:
        assert "cannot limit processes for the administrator" in run.stderr
    else:
        assert run.stdout == "False\n", run.stderr
