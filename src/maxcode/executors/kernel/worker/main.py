"""A worker process, run by this file's path: imports torch and answers requests in turn.

Its argument is a packed :class:`~maxcode.executors.kernel.worker.messages.Start`.
"""

from __future__ import annotations

import faulthandler
import gc
import os
import sys
import traceback
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from maxcode.executors.kernel.worker.messages import Failure, Start

_PACKAGE = "maxcode.executors.kernel.worker"
_KEPT = 4000  # characters of each text about an error


def serve(start: Start) -> None:
    """Send that it is ready, then answer requests by the module's work until the last."""
    from maxcode.executors.kernel.worker.channel import Channel  # noqa: PLC0415

    channel = Channel()  # before anything else could use its descriptors
    faulthandler.enable()
    gc.disable()  # spares a tenth of the time
    import torch  # noqa: PLC0415

    from maxcode.executors.kernel.worker.calls import touch_memory  # noqa: PLC0415

    gc.freeze()
    gc.enable()
    torch.set_num_threads(start.threads)
    torch.set_num_interop_threads(1)
    work = import_module(start.module).work(start, channel)
    touch_memory()
    channel.send(None)
    while (request := channel.receive()) is not None:
        try:
            name, given = request
            channel.send(getattr(work, name)(*given))
        except Exception as error:  # noqa: BLE001 - for the parent to judge
            channel.send(_described(error), "failure")


def _described(error: Exception) -> Failure:
    from maxcode.executors.kernel.worker.messages import Failure  # noqa: PLC0415

    places = [(one.filename, one.lineno) for one in traceback.extract_tb(error.__traceback__)]
    places = [one for one in places if "/candidate/" in one[0]]
    if isinstance(error, SyntaxError):
        places.append((error.filename or "", error.lineno))
    place = f"{Path(places[-1][0]).name}:{places[-1][1]}" if places else ""
    trace = "".join(traceback.format_exception(error))[-_KEPT:]
    return Failure(type(error).__name__[:200], str(error)[:_KEPT], trace, place[:200])


def _set_environment(threads: int) -> None:
    """Set the environment variables of torch and packages built on it."""
    folder = os.getcwd()  # private, and removed with this process
    os.environ.update(
        HOME=folder,
        TMPDIR=folder,
        USER="worker",  # there is no list of users to look the name up in
        OMP_NUM_THREADS=str(threads),
        MKL_NUM_THREADS=str(threads),
        OMP_WAIT_POLICY="passive",  # threads that spin would seem to compute
        PYTHONDONTWRITEBYTECODE="1",
    )


def _provide_package() -> None:
    """Make modules of this folder importable under their names, and nothing else of maxcode."""
    names = _PACKAGE.split(".")
    for count in range(1, len(names) + 1):
        package = ModuleType(".".join(names[:count]))
        package.__path__ = []
        sys.modules[package.__name__] = package
    sys.modules[_PACKAGE].__path__ = [str(Path(__file__).parent)]


def _main() -> None:
    _provide_package()
    from maxcode.executors.kernel.worker.messages import unpack  # noqa: PLC0415

    start: Start = unpack(sys.argv[1].encode())
    sys.argv[1:] = []
    _set_environment(start.threads)
    sys.path += start.packages
    serve(start)


if __name__ == "__main__":
    _main()
