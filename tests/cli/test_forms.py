"""Files with CRLF and a Latin-1 letter: through task, prompt, answer, reduction, patch, verify."""

import re
import subprocess
from pathlib import Path

import pytest
from tests.cli.conftest import Run, write_files
from tests.executors.project._projects import FILES
from tests.provider import LoopbackProvider

from maxcode.system import find_tool

pytestmark = pytest.mark.slow

ACUTE = "\N{LATIN SMALL LETTER E WITH ACUTE}"
SEARCH = ("--policy=best-of-n", "--budget=evaluations=1", "--fuzz=0")
SUM = FILES["src/sum.c"].replace("unsigned long sum", f"/* by Jos{ACUTE} */\nunsigned long sum")
LOOP = """\
    volatile unsigned long total = 0;
    for (unsigned long i = 1; i <= n; i++)
        total = total + i;
    return total;
"""
EDIT = f"""\
Summary: Gauss' formula.

src/sum.c
<<<<<<< SEARCH
/* by Jos{ACUTE} */
unsigned long sum(unsigned long n)
{{
{LOOP}=======
/* by Jos{ACUTE} */
unsigned long sum(unsigned long n)
{{
    return n * (n + 1) / 2; /* {ACUTE} */
>>>>>>> REPLACE
"""


def windows(text: str) -> bytes:
    return text.replace("\n", "\r\n").encode("latin-1")


def shell(command: str, folder: Path) -> bytes:
    done = subprocess.run(
        [find_tool("sh"), "-c", command], cwd=folder, check=False, capture_output=True
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "any")


@pytest.fixture
def project(folder: Path) -> Path:
    write_files(folder / "sum", {p: text for p, text in FILES.items() if p != "task.toml"})
    (folder / "sum" / "src" / "sum.c").write_bytes(windows(SUM))
    (folder / "sum" / "src" / "table.bin").write_bytes(b"\xff\x00")
    (folder / "sum" / ".gitattributes").write_text("sum.c text eol=crlf\n")  # git itself has LF
    return folder / "sum"


def test_a_project_keeps_its_form(inside: Run, project: Path, folder: Path) -> None:
    commands = ("--command", "./sum 20000000", "--editable", "src/**")
    made = inside("init sum", *commands, code=0)
    assert "may be changed: 2 files, and the compiler's flags" in made.stdout
    assert "no texts, so they stay as they are: src/table.bin" in made.stdout

    with LoopbackProvider(lambda request: EDIT) as provider:
        search = ("--minimise=0", f"--generator=openai:x@{provider.openai_url}")
        done = inside("optimize sum", *search, *SEARCH[:2])
        prompt = "".join(provider.requests[0].parts)
    assert done.returncode == 0, done.stderr
    assert SUM in prompt
    wanted = SUM.replace(LOOP, f"    return n * (n + 1) / 2; /* {ACUTE} */\n")
    patch = folder / "sum.maxcode.patch"
    assert b"compile with" not in patch.read_bytes()
    shell(f"cp -r sum copy && cd copy && {find_tool('git')} apply ../{patch.name}", folder)
    assert (folder / "copy" / "src" / "sum.c").read_bytes() == windows(wanted)

    shell("cp sum.maxcode.patch latin.patch", folder)
    as_shown = patch.read_bytes().decode("latin-1").replace("\r\n", "\n")
    (folder / "shown.patch").write_text(as_shown, "utf-8")  # as an editor writes it
    for name in ("latin.patch", "shown.patch"):
        verified = inside("verify", name, "--task", "sum", code=0)
        assert re.search(r"\(faster[;)]", verified.stdout)
