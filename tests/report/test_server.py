"""The live view over real HTTP on loopback, beside real searches in the toy world."""

import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.report._serving import Reader, served

from maxcode.budget import Budget
from maxcode.errors import InputError
from maxcode.journal.journal import Journal
from maxcode.report.server import listen
from maxcode.search.search import Search

HEADERS = {
    "content-security-policy",
    "x-content-type-options",
    "referrer-policy",
    "cross-origin-opener-policy",
    "cross-origin-resource-policy",
}


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "runs.db"


@pytest.fixture
def reader(store: Path) -> Iterator[Reader]:
    with served(store) as reader:
        yield reader


@pytest.mark.slow
def test_runs_are_listed_newest_first(full: Callable[..., Search], reader: Reader) -> None:
    first, second = full(), full()
    for search in (first, second):
        search.run()
    seen = reader.json("/api/runs")
    assert [run["run_id"] for run in seen["runs"]] == [second.run_id, first.run_id]
    assert (seen["total"], seen["problem"]) == (2, "")
    run = seen["runs"][0]
    assert (run["task"], run["status"], run["evaluations"]) == ("toy", "done", "30")
    _, _, page = reader.ask("/")
    assert second.run_id in page


@pytest.mark.slow
def test_a_run_is_followed_as_it_goes_on(
    full: Callable[..., Search], journal: Journal, reader: Reader
) -> None:
    search = full()
    steps = search.steps()
    next(steps)
    path = f"/api/runs?run={search.run_id}"
    assert reader.json(path)["runs"][0]["status"] == "running"
    for _ in steps:
        pass
    last = reader.until(path, lambda seen: seen["runs"][0]["status"] == "done")
    assert last["runs"][0]["last_event"] == search.state.last_event
    full(journal=journal.run(search.run_id), budget=Budget(evaluations=35)).run()
    again = reader.until(path, lambda seen: seen["runs"][0]["evaluations"] == "35")
    assert again["runs"][0]["last_event"] > last["runs"][0]["last_event"]


@pytest.mark.slow
def test_a_store_may_come_and_go_and_come_back(store: Path, reader: Reader) -> None:
    for _ in range(2):
        reader.until("/api/runs", lambda seen: "there is no store" in seen["problem"])
        assert not store.exists()
        with Journal.open(store):
            there = reader.until("/api/runs", lambda seen: not seen["problem"])
        assert there == {"runs": [], "total": 0, "problem": ""}
        for file in store.parent.glob("runs.db*"):
            file.unlink()


@pytest.mark.slow
def test_a_run_whose_process_has_gone_is_killed(store: Path, reader: Reader) -> None:
    code = (
        "import sys, os, itertools, maxcode.testing as t\n"
        "from maxcode.journal.journal import Journal\n"
        "steps = t.toy_search(journal=Journal.open(sys.argv[1])).steps()\n"
        "next(steps); print('begun', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(store)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"begun\n"
        seen = reader.until("/api/runs", lambda seen: seen["runs"])
        assert seen["runs"][0]["status"] == "running"
        process.kill()
        process.wait()
        reader.until("/api/runs", lambda seen: seen["runs"][0]["status"] == "killed")


def contents(store: Path) -> list[str]:
    with closing(sqlite3.connect(store)) as connection:
        return list(connection.iterdump())


@pytest.mark.slow
def test_the_store_is_never_written(
    full: Callable[..., Search], store: Path, reader: Reader
) -> None:
    search = full()
    search.run()
    before = contents(store)
    for path in ("/", "/api/runs", f"/?run={search.run_id}", f"/api/runs/{search.run_id}"):
        assert reader.ask(path)[0] == 200
    assert reader.ask(f"/api/runs/{search.run_id}/steps/1")[0] == 200
    assert contents(store) == before


@pytest.mark.slow
def test_a_run_that_cannot_be_read_is_listed_with_the_reason(
    full: Callable[..., Search], store: Path, reader: Reader
) -> None:
    broken, whole = full(), full()
    for search in (broken, whole):
        search.run()
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute(
            'UPDATE maxcode_events SET body = \'{"kind": "later"}\' WHERE run = ? AND seq = 3',
            (broken.run_id,),
        )
    seen = reader.json("/api/runs")
    assert (seen["total"], seen["problem"]) == (2, "")
    assert [run["status"] for run in seen["runs"]] == ["done", "unreadable"]
    assert f"{broken.run_id}: event 3 is damaged" in seen["runs"][1]["task"]
    named = reader.json(f"/api/runs?run={broken.run_id}")
    assert named["runs"][0]["status"] == "unreadable"
    assert "event 3 is damaged" in reader.ask(f"/?run={broken.run_id}")[2]


def test_nothing_but_reading_is_allowed(reader: Reader) -> None:
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "TRACE"):
        status, headers, _ = reader.ask("/api/runs", method)
        assert (status, headers["allow"]) == (405, "GET, HEAD")


def test_every_answer_says_what_a_browser_may_do(reader: Reader) -> None:
    for path in ("/", "/api/runs", "/nothing", "/assets/live.js", "/assets/x", "/api/runs/x"):
        _, headers, _ = reader.ask(path)
        assert headers.keys() >= HEADERS
        assert "cache-control" in headers
        assert "access-control-allow-origin" not in headers
        assert "script-src 'self';" in headers["content-security-policy"]


@pytest.mark.slow
def test_what_is_not_there_is_said(full: Callable[..., Search], reader: Reader) -> None:
    search = full()
    search.run()
    for path, told in {
        "/api/runs/none": "no run 'none'",
        "/?run=none": "no run 'none'",
        f"/api/runs/{search.run_id}/steps/1000": "not 1000",
        f"/api/runs/{search.run_id}/steps/one": "",
        "/assets/server.py": "Not Found",
        "/assets/%2e%2e%2fserver.py": "",
        "/nothing": "",
    }.items():
        status, _, text = reader.ask(path)
        assert status == 404
        assert told in text


def test_requests_must_name_this_machine(store: Path) -> None:
    ours = ("127.0.0.1:80", "localhost", "LOCALHOST:90", "[::1]:80")
    others = ("evil.example", "127.0.0.1.evil.example:80", "localhost.evil.example", "10.1.2.3", "")
    with served(store) as reader:
        for host in ours:
            assert reader.ask("/api/runs", Host=host)[0] == 200
        for host in others:
            assert reader.ask("/api/runs", Host=host)[0] == 421


def test_without_the_token_nothing_is_shown(store: Path) -> None:
    with served(store, token="correct-horse") as reader:  # noqa: S106 - a test's own
        for path in ("/", "/api/runs", "/assets/live.js", "/?token=wrong"):
            status, headers, text = reader.ask(path)
            assert (status, headers["www-authenticate"]) == (401, "Bearer")
            assert "a token is needed" in text
        name = f"maxcode-view-{reader.port}"
        for wrong in (f"{name}=wrong", f"{name}=", f"{name}=correct-horse"):
            assert reader.ask("/", Cookie=wrong)[0] == 401
        assert reader.ask("/", Authorization="Bearer correct-horse")[0] == 200
        assert reader.ask("/", Authorization="Bearer ")[0] == 401


def test_the_token_of_the_address_becomes_a_cookie(store: Path) -> None:
    with served(store, token="correct-horse") as reader:  # noqa: S106 - a test's own
        status, headers, _ = reader.ask("//evil.example/?run=a&token=correct-horse")
        assert (status, headers["location"]) == (303, "/evil.example/?run=a")
        assert "HttpOnly" in headers["set-cookie"]
        name, _, value = headers["set-cookie"].partition(";")[0].partition("=")
        assert name == f"maxcode-view-{reader.port}"
        assert "correct-horse" not in value
        assert reader.ask("/", Cookie=f"{name}={value}")[0] == 200
        assert reader.ask("/", Cookie=f"maxcode-view-80={value}")[0] == 401


def test_a_port_that_is_taken_is_said() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(InputError, match=rf"127\.0\.0\.1, port {port}: .* --port"):
            listen("127.0.0.1", port)


@pytest.mark.slow
def test_beyond_this_machine_there_is_a_token(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "maxcode.cli.main", "view", "--port", "0"]
    with subprocess.Popen(
        [*command, "--host", "0.0.0.0", "--store", "none.db"],  # noqa: S104 - what is tested
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        address, _, token = process.stdout.readline().strip().partition("?token=")
        reader = Reader(int(address.rstrip("/").rpartition(":")[2]))
        assert reader.ask("/api/runs")[0] == 401
        assert reader.ask("/api/runs", Authorization=f"Bearer {token}")[0] == 200
        process.terminate()


@pytest.mark.slow
@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_command_at_once_and_quietly(tmp_path: Path, end: int) -> None:
    command = [sys.executable, "-m", "maxcode.cli.main", "view", "--port", "0"]
    with subprocess.Popen(
        [*command, "--store", "none.db"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        port = int(address.rstrip("/").rpartition(":")[2])
        assert "there is no store" in Reader(port).json("/api/runs")["problem"]
        process.send_signal(end)
        _, err = process.communicate(timeout=20)
    assert process.returncode == (0 if end == signal.SIGINT else -end)
    assert err.startswith("there is no store none.db")
    # A terminal has just shown ^C: what comes next belongs on a line of its own.
    assert err.endswith("Ctrl-C ends the view" + ("\n\n" if end == signal.SIGINT else "\n"))
    assert err.count("\n") == (2 if end == signal.SIGINT else 1)
    assert not list(tmp_path.iterdir())
