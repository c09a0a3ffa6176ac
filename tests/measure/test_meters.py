import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from maxcode.errors import ToolError
from maxcode.measure import valgrind
from maxcode.measure.meters import Instructions
from maxcode.sandbox.base import Completed, Files, Limits, Sandbox
from maxcode.sandbox.bubblewrap import BubblewrapSandbox
from maxcode.sandbox.process import ProcessSandbox

pytestmark = pytest.mark.slow
_SOURCE = r"""
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

static void work() { for (volatile int i = 0; i < 500000; i = i + 1) {} }

// Finds the log by the link of valgrind's own descriptor and adds to it.
static int log() {
    for (int fd = 3; fd < 4096; fd++) {
        char path[4096] = {};
        if (readlink(("/proc/self/fd/" + std::to_string(fd)).c_str(), path, 4095) < 5) continue;
        if (strcmp(path + strlen(path) - 4, "/log")) continue;
        int log = open(path, O_WRONLY | O_NONBLOCK);
        if (log < 0) return 3;
        const char forged[] = "\n==2== I   refs:      1,000\n";
        return write(log, forged, sizeof forged - 1) < 0;
    }
    return 4;
}

static int finished = 0;
static void hidden(unsigned) { work(); finished = 1; }

// Asks valgrind to call a function where it is not counted, by instructions made while it runs,
// which no scan of the executable finds; works where it is counted unless it was heard.
static int made() {
    unsigned char code[] = {0x48, 0x89, 0xf8, 0x31, 0xd2,  // mov rax, rdi; xor edx, edx
                            0x49, 0xc0, 0xc7, 0x03, 0x49, 0xc0, 0xc7, 0x0d, 0x49, 0xc0, 0xc7, 0x3d,
                            0x49, 0xc0, 0xc7, 0x33, 0x48, 0x87, 0xdb, 0xc3};  // and ret
    for (int i = 5; i < 21; i += 4) code[i] -= 1, code[i + 1] += 1;
    void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(page, code, sizeof code);
    unsigned long what[6] = {0x1101, (unsigned long)hidden, 0, 0, 0, 0};
    reinterpret_cast<void (*)(unsigned long*)>(page)(what);
    if (!finished) work();
    return 0;
}

int main(int count, char** words) {
    std::string what = count > 1 ? words[1] : "";
    if (what == "more") work(), work();
    if (what != "idle") work();
    puts("done");
    fputs("well", stderr);
    fflush(stdout);
    if (what == "become") execl("/bin/true", "true", nullptr);
    if (what == "start") return system("/bin/true");
    if (what == "thread") std::thread(work).join();
    if (what == "strange") asm volatile(".byte 0x62,0xf1,0x7c,0x48,0x28,0xc1");  // AVX-512
    if (what == "forge") return log();
    if (what == "vanish") {  // behind a forged count
        if (log()) return 3;
        setenv("VALGRIND_OPTS", "-q --log-file=/dev/null", 1);
        execl(words[0], words[0], "more", nullptr);
        return 0;
    }
    if (what == "made") return made();
    return 0;
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("program")
    (folder / "program.cpp").write_text(_SOURCE)
    gxx = shutil.which("g++")
    assert gxx is not None
    command = [gxx, "-O0", "-pthread", "program.cpp", "-o", "program"]
    subprocess.run(command, cwd=folder, check=True, timeout=60)
    return folder / "program"


def bubblewrap() -> Sandbox:
    try:
        return BubblewrapSandbox()
    except ToolError as error:
        pytest.skip(str(error))


def counted(program: Path, what: str = "", sandbox: Sandbox | None = None) -> Completed:
    command, files = [str(program), what], Files(read=(program,))
    return Instructions().run(sandbox or ProcessSandbox(), command, Limits(), files)


def count(program: Path, what: str = "", sandbox: Sandbox | None = None) -> int:
    completed = counted(program, what, sandbox)
    assert completed.ok, completed
    assert completed.instructions is not None
    return completed.instructions


# -- counting ----------------------------------------------------------------------------------


def test_counts_repeat_and_grow_with_the_work(program: Path) -> None:
    for sandbox in (ProcessSandbox(), bubblewrap()):
        once, again = count(program, "", sandbox), count(program, "", sandbox)
        assert once == pytest.approx(again, rel=Instructions().repeatable)
        idle, more = count(program, "idle", sandbox), count(program, "more", sandbox)
        assert more - once == pytest.approx(2 * (once - idle), rel=0.01)
        assert once - idle >= 500_000 * 3


def test_no_work_can_be_done_where_it_might_not_be_counted(program: Path) -> None:
    assert counted(program, "thread", bubblewrap()).code != 0
    forking = Instructions().run(
        bubblewrap(), ["/bin/sh", "-c", "/bin/true & wait; echo on"], Limits()
    )
    assert b"on" not in forking.stdout


def test_a_program_that_hands_its_work_on_has_failed(program: Path) -> None:
    for what in ("start", "become"):
        completed = counted(program, what)
        assert not completed.ok
        assert completed.instructions is None
    assert completed.stderr.endswith(b"because it wanted to become another program")


def test_an_instruction_that_valgrind_does_not_know_is_named_as_the_cause(program: Path) -> None:
    completed = counted(program, "strange")
    assert completed.code == -signal.SIGILL
    assert completed.instructions is None
    assert b"well\nvalgrind does not know an instruction" in completed.stderr
    assert b"-march=native" in completed.stderr


# -- a hostile program -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("forge", b"something but valgrind wrote to valgrind's log"),
        ("vanish", b"because it wanted to become another program"),
    ],
)
def test_a_forged_log_is_no_count(program: Path, how: str, said: bytes) -> None:
    forged = counted(program, how, bubblewrap())
    assert not forged.ok
    assert forged.instructions is None
    assert forged.stderr.endswith(said)


def test_what_a_program_asks_of_valgrind_is_not_heard(program: Path) -> None:
    assert count(program, "made", bubblewrap()) >= count(program, "", bubblewrap()) + 500_000


def test_a_valgrind_whose_ear_is_not_found_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for tool in ("cachegrind", "callgrind"):
        (tmp_path / f"{tool}-amd64-linux").write_bytes(b"another build")
    monkeypatch.setenv("VALGRIND_LIB", str(tmp_path))
    valgrind._tools.cache_clear()
    try:
        with pytest.raises(ToolError, match=r"recognises requests in a way .*; measure cpu"):
            Instructions().run(ProcessSandbox(), ["/bin/true"], Limits())
    finally:
        valgrind._tools.cache_clear()
