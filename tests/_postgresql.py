"""Stores to test on: a SQLite file, and a private PostgreSQL server where one can be started.

A module that names this one in ``pytest_plugins`` gets its fixtures.
"""

import ctypes
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from time import sleep
from typing import Any
from uuid import uuid4

import pytest
import sqlalchemy as sa

_SETTINGS = "-c fsync=off -c full_page_writes=off -c listen_addresses= -c max_connections=40"
_PR_SET_PDEATHSIG = 1  # of sys/prctl.h


@pytest.fixture(params=["sqlite", "postgresql"])
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a new, empty store; the test runs once for each kind of database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/runs.db"
    server: Server = request.getfixturevalue("postgresql")
    return server.new_database()


@pytest.fixture(scope="session")
def postgresql() -> Iterator["Server"]:
    """A server in a temporary folder; the test is skipped where none can be started."""
    if find_spec("psycopg") is None:
        pytest.skip("psycopg is not installed; maxcode[postgresql] brings it")
    with tempfile.TemporaryDirectory(prefix="maxcode-pg-") as name:  # a socket's path is short
        server = Server(Path(name))
        server.start()
        try:
            yield server
        finally:
            server.stop()


class Server:
    """A PostgreSQL server on a unix socket in ``folder``, run by an unprivileged user."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._admin = sa.create_engine(self._url("postgres"), isolation_level="AUTOCOMMIT")
        # PostgreSQL does not run as root.
        self._account = pwd.getpwnam("nobody") if os.geteuid() == 0 else None
        if self._account:
            shutil.chown(folder, self._account.pw_uid, self._account.pw_gid)

    def start(self) -> None:
        """Make its files, start it and wait until it answers. It ends with this process, too."""
        make = ["-U", "tester", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync"]
        command = [_find("initdb"), "-D", str(self._folder / "data"), *make]
        done = subprocess.run(
            command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **self._place
        )
        assert done.returncode == 0, f"initdb: {done.stderr}"
        self._serve()

    def restart(self, seconds: float) -> None:
        """Shut it down, whoever is connected, and start it again after so many seconds."""
        self._admin.dispose()
        self._process.send_signal(signal.SIGINT)
        self._process.wait()
        sleep(seconds)
        self._serve()

    def _serve(self) -> None:
        """Start it, and wait until it answers."""
        serve = [_find("postgres"), "-D", str(self._folder / "data"), "-k", str(self._folder)]
        with (self._folder / "log").open("a") as log:
            self._process = subprocess.Popen(
                [*serve, *_SETTINGS.split()],
                stdout=log,
                stderr=log,
                preexec_fn=_end_with_parent,  # noqa: PLW1509 - calls C only
                **self._place,
            )
        while True:
            try:
                self._admin.connect().close()
            except sa.exc.OperationalError:
                assert self._process.poll() is None, (self._folder / "log").read_text()
                sleep(0.05)
            else:
                return

    def stop(self) -> None:
        """End it, whoever is still connected."""
        self._admin.dispose()
        self._process.send_signal(signal.SIGQUIT)
        self._process.wait()

    def new_database(self) -> str:
        """The URL of a new, empty database."""
        name = f"test_{uuid4().hex}"
        with self._admin.connect() as connection:
            connection.execute(sa.text(f"CREATE DATABASE {name} TEMPLATE template0"))
        return self._url(name)

    def _url(self, database: str) -> str:
        return f"postgresql+psycopg://tester@/{database}?host={self._folder}"

    @property
    def _place(self) -> dict[str, Any]:
        """Where its programs run, and as whom."""
        account = self._account
        return {
            "cwd": self._folder,
            "user": account.pw_uid if account else None,
            "group": account.pw_gid if account else None,
            "extra_groups": [] if account else None,
            "text": True,
        }


def _end_with_parent() -> None:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGQUIT)


def _find(tool: str) -> str:
    installed = sorted(map(str, Path("/usr/lib/postgresql").glob(f"[0-9]*/bin/{tool}")))
    found = installed[-1] if installed else shutil.which(tool)
    if found is None:
        pytest.skip(f"PostgreSQL is not installed: there is no {tool}")
    return found
