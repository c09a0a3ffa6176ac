"""What pages are run with: models on loopback, and a process that does commands at once."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.pages import _ready
from tests.pages._world import answer
from tests.provider import LoopbackProvider


@pytest.fixture(scope="session")
def _commands_are_ready(_cache: None) -> Iterator[None]:
    """Pages find it by its address, DOCS_READY; without one each command starts anew."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        address = str(Path(folder) / "socket")
        with subprocess.Popen(
            [sys.executable, _ready.__file__, address],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        ) as process:
            assert process.stdin
            assert process.stdout
            assert process.stdout.readline() == b"ready\n"
            patch.setenv("DOCS_READY", address)
            yield
            process.stdin.close()


@pytest.fixture(scope="module")
def provider(_commands_are_ready: None) -> Iterator[LoopbackProvider]:
    with LoopbackProvider(answer) as provider:
        yield provider
