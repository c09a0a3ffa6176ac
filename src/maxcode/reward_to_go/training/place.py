"""Places of a training's checkpoints, and of the model saved at its end."""

from __future__ import annotations

import json
import re
import shutil
from contextlib import AbstractContextManager
from pathlib import Path

from maxcode.errors import InputError
from maxcode.files import new_folder, read_text, write_text
from maxcode.reward_to_go.saved import FILE, check_free
from maxcode.reward_to_go.training.settings import Settings

_BEGUN = "begun.json"


class Place:
    """The folder ``out`` of a model, and ``work`` beside it with checkpoints.

    ``out`` is written at once, when training has ended. With ``force`` an earlier model there is
    replaced, and an unfinished training is begun again.
    """

    def __init__(self, out: str | Path, *, force: bool = False) -> None:
        self.out = Path(out).expanduser().absolute()
        self.force = force
        self.work = self.out.with_name(f"{self.out.name}.training")

    @property
    def begun(self) -> bool:
        """Whether a training was begun here and has not ended."""
        return (self.work / _BEGUN).is_file()

    def check(self) -> None:
        """Raise :class:`InputError` when something at ``out`` would be lost."""
        check_free(self.out, FILE, "model", force=self.force)

    def begin(self, settings: Settings, data: str, *, resume: bool) -> None:
        """Make the work folder, or with ``resume`` check its training.

        ``data`` identifies the examples. Raises :class:`InputError` for an existing work folder
        without ``resume``, and for a missing or foreign folder with it.
        """
        begun = json.dumps({"settings": settings.model_dump(), "data": data}, indent=2)
        path = self.work / _BEGUN
        if resume:
            if not self.begun:
                raise InputError(f"there is nothing to resume: no {path}; leave out --resume")
            if read_text(path) != begun:
                raise InputError(f"--resume: {self.work} was begun with other settings or data")
            return
        if self.work.exists():
            if not (self.force and self.begun):
                raise InputError(
                    f"{self.work} holds a training that has not ended; go on with --resume, or "
                    "begin again with --force"
                )
            shutil.rmtree(self.work)
        write_text(path, begun)

    def checkpoint(self) -> Path | None:
        """The last whole checkpoint, with its last file."""
        found = {
            int(match[1]): path
            for path in self.work.glob("checkpoint-*")
            if (match := re.fullmatch(r"checkpoint-(\d+)", path.name))
            and (path / "trainer_state.json").is_file()
        }
        return found[max(found)] if found else None

    def publish(self) -> AbstractContextManager[Path]:
        """A folder to fill, which then becomes ``out``; until then an earlier model stays whole.

        On leaving raises :class:`InputError` as :meth:`check` does, for anything new at ``out``.
        """
        return new_folder(self.out, self.check)

    def end(self) -> None:
        """Remove the work folder, if a training was begun there."""
        if self.begun:
            shutil.rmtree(self.work, ignore_errors=True)
