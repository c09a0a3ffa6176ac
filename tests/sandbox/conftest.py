"""Small programs that do what a sandbox has to cope with."""

import shutil
import subprocess
from pathlib import Path

import pytest

_SOURCE = r"""
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <unistd.h>

static int fill(long megabytes) {
    for (long i = 0; i < megabytes; i++) memset(new char[1 << 20], 1, 1 << 20);
    return 0;
}

static int spin(double seconds) {
    volatile unsigned long sum = 0;
    for (long i = 0; i < long(seconds * 4e8); i++) sum = sum + 1;
    return 0;
}

static int descriptors() {
    for (int i = 0; i < 1024; i++) {
        if (fcntl(i, F_GETFD) != -1) printf("%d ", i);
    }
    return 0;
}

// A child that holds much memory, and so takes its time to die, outlives its parent.
static int orphan(long megabytes) {
    int ready[2];
    if (pipe(ready)) return 1;
    int child = fork();
    if (child == 0) {
        fill(megabytes);
        if (write(ready[1], "x", 1) != 1) return 1;
        sleep(60);
    }
    char byte;
    if (read(ready[0], &byte, 1) != 1) return 1;
    printf("%d\n", child);
    return 0;
}

int main(int count, char** words) {
    const char* what = words[1];
    double much = count > 2 ? atof(words[2]) : 0;
    if (!strcmp(what, "fill")) return fill(long(much));
    if (!strcmp(what, "spin")) return spin(much);
    if (!strcmp(what, "descriptors")) return descriptors();
    if (!strcmp(what, "orphan")) return orphan(long(much));
    if (!strcmp(what, "abort")) abort();
    return 99;
}
"""


@pytest.fixture(scope="session")
def actor(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Path of a program that is told by its arguments what to do."""
    gxx = shutil.which("g++")
    if gxx is None:
        pytest.skip("needs g++")
    folder: Path = tmp_path_factory.mktemp("actor")
    (folder / "actor.cpp").write_text(_SOURCE)
    subprocess.run([gxx, "-O0", "actor.cpp", "-o", "actor"], cwd=folder, check=True, timeout=60)
    return str(folder / "actor")
