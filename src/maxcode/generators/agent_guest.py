"""The side of an agent's run inside the sandbox; it needs nothing but the standard library.

It puts a copy of the program into a private folder, starts the agent there, passes on requests of
the command ``maxcode try``, and in the end reports the files and the agent's output. It lies within
the agent's reach, so nothing it says is believed: files are a proposal, no more. As ``serve`` it
reads lines from the host on standard input, and writes lines to descriptor 3; as ``try`` it is that
command.
"""

import contextlib
import json
import os
import queue
import shutil
import signal
import socket
import stat
import subprocess
import sys
import threading
import time

HOME = "/tmp/maxcode"  # noqa: S108 - private, of bounded size
WORK = f"{HOME}/program"
DESK = f"{HOME}/desk"
ANSWERS = 3
LARGEST = 4 << 20  # bytes of a file that is reported
KEPT = 1 << 20  # bytes of the agent's output, its last
PATIENCE = 0.05
BYTES = "latin-1"  # in messages a file is its bytes, each a character


def serve() -> None:
    """A single run of the agent."""
    spec = json.loads(sys.stdin.buffer.readline())
    for path, text in spec["files"].items():
        write(f"{WORK}/{path}", text, BYTES)
    write(f"{HOME}/prompt.md", spec["prompt"])
    command = f"{DESK}/bin/maxcode"
    write(command, f'#!/bin/sh\nexec {sys.executable} -I -S -B {__file__} "$@"\n')
    os.chmod(command, 0o755)  # noqa: S103 - to be executed
    os.makedirs(f"{HOME}/home")
    os.makedirs(f"{DESK}/asked")
    environment = {
        "PATH": f"{DESK}/bin:{spec['path']}",
        "HOME": f"{HOME}/home",
        "LANG": "C.UTF-8",
        "MAXCODE_PROMPT": f"{HOME}/prompt.md",
        **spec["environment"],
    }
    if spec["relay"]:
        proxy = f"http://127.0.0.1:{listen_for(spec['relay'])}"
        environment.update({"HTTPS_PROXY": proxy, "https_proxy": proxy})
    orders: queue.SimpleQueue[dict[str, object]] = queue.SimpleQueue()
    if not shutil.which(spec["command"][0], path=environment["PATH"]):
        why = "it is not in here; name it, and what it needs, in read="
        send({"kind": "failed", "why": f"{spec['command'][0]}: {why}"})
        return
    send({"kind": "started"})  # from now on the agent may speak here, too
    try:
        with open(f"{HOME}/prompt.md", "rb") as prompt:
            agent = subprocess.Popen(
                spec["command"],
                cwd=WORK,
                env=environment,
                stdin=prompt,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
    except OSError as error:
        why = f"{spec['command'][0]}: {error.strerror}"
        send({"kind": "end", "code": 126, "errors": why, "files": read(spec["editable"])})
        return
    written = [Tail(pipe.fileno()) for pipe in (agent.stdout, agent.stderr) if pipe]
    threading.Thread(target=listen, args=(orders,), daemon=True).start()
    while agent.poll() is None and orders.empty():  # nothing but a stop is said unasked
        if not answered(spec["editable"], orders):
            time.sleep(PATIENCE)
    with contextlib.suppress(OSError):
        os.killpg(agent.pid, signal.SIGKILL)  # what left its session ends with the sandbox
    agent.wait()
    output, errors = (tail.text() for tail in written)
    files = read(spec["editable"])
    send({"kind": "end", "code": agent.poll(), "output": output, "errors": errors, "files": files})


def answered(editable: list[str], orders: "queue.SimpleQueue[dict[str, object]]") -> bool:
    """Pass on a question, and the host's answer; whether there was any.

    The agent may have made a mess of the desk.
    """
    with contextlib.suppress(OSError):
        for name in sorted(os.listdir(f"{DESK}/asked"))[:1]:
            os.unlink(f"{DESK}/asked/{name}")
            send({"kind": "try", "files": read(editable)})
            found = orders.get()
            if found["kind"] == "stop":
                orders.put(found)
                return True
            write(f"{DESK}/answers/{name}.part", json.dumps(found))
            os.rename(f"{DESK}/answers/{name}.part", f"{DESK}/answers/{name}")
            return True
    return False


def listen(orders: "queue.SimpleQueue[dict[str, object]]") -> None:
    """Take in the host's messages."""
    for line in sys.stdin.buffer:
        orders.put(json.loads(line))
    orders.put({"kind": "stop"})


def listen_for(relay: str) -> int:
    """A port of this sandbox alone, whose connections go to the host's socket."""
    listening = socket.create_server(("127.0.0.1", 0))

    def accept() -> None:
        while True:
            client, _ = listening.accept()
            host = socket.socket(socket.AF_UNIX)
            try:
                host.connect(relay)
            except OSError:
                client.close()
                continue
            threading.Thread(target=connect, args=(client, host), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    return int(listening.getsockname()[1])


def connect(client: socket.socket, host: socket.socket) -> None:
    """Pass bytes on, both ways, until both have ended."""
    with client, host:
        back = threading.Thread(target=pass_on, args=(host, client), daemon=True)
        back.start()
        pass_on(client, host)
        back.join()


def pass_on(source: socket.socket, sink: socket.socket) -> None:
    """Pass on everything from a connection, and its end."""
    with contextlib.suppress(OSError):  # one of them has gone
        while data := source.recv(1 << 16):
            sink.sendall(data)
    with contextlib.suppress(OSError):
        sink.shutdown(socket.SHUT_WR)


class Tail:
    """The last output of a pipe, which is always read, so no writer has to wait."""

    def __init__(self, pipe: int) -> None:
        self.data = bytearray()
        self.thread = threading.Thread(target=self.follow, args=(pipe,), daemon=True)
        self.thread.start()

    def follow(self, pipe: int) -> None:
        """Read until the end."""
        while chunk := os.read(pipe, 1 << 16):
            self.data += chunk
            del self.data[:-KEPT]

    def text(self) -> str:
        """Its text now; a process that keeps the pipe open is not waited for."""
        self.thread.join(1.0)
        return bytes(self.data).decode(errors="replace")


def read(paths: list[str]) -> dict[str, str]:
    """The bytes of the present files; a pipe or a device is none."""
    found = {}
    for path in paths:
        try:
            opened = os.open(f"{WORK}/{path}", os.O_RDONLY | os.O_NONBLOCK)
            with open(opened, "rb") as file:
                if not stat.S_ISREG(os.fstat(opened).st_mode):
                    continue
                data = file.read(LARGEST + 1)
            if len(data) <= LARGEST:
                found[path] = data.decode(BYTES)
        except OSError:
            continue
    return found


def write(path: str, text: str, encoding: str = "utf-8") -> None:
    """A file, in a folder made if need be."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding=encoding, newline="") as file:
        file.write(text)


def send(message: dict[str, object]) -> None:
    """A line to the host."""
    line = json.dumps(message).encode() + b"\n"
    while line:
        line = line[os.write(ANSWERS, line) :]


def try_out(arguments: list[str]) -> int:
    """The command ``maxcode try``: gives its exit code."""
    if arguments != ["try"]:
        sys.stdout.write("usage: maxcode try   (builds the program and runs all tests)\n")
        return 2
    name = f"{time.monotonic_ns()}-{os.getpid()}"
    write(f"{DESK}/new-{name}", "")
    os.rename(f"{DESK}/new-{name}", f"{DESK}/asked/{name}")
    while not os.path.exists(f"{DESK}/answers/{name}"):
        time.sleep(PATIENCE)
    with open(f"{DESK}/answers/{name}", encoding="utf-8") as file:
        found = json.load(file)
    sys.stdout.write(f"{found['status']}: {found['feedback']}\n")
    return 0 if found["status"] == "ok" else 1


if __name__ == "__main__":
    if sys.argv[1:] == ["serve"]:
        serve()
        shutil.rmtree(HOME, ignore_errors=True)
    else:
        sys.exit(try_out(sys.argv[1:]))
