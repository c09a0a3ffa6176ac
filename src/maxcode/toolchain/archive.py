"""Unpack archives written by an untrusted build, perhaps with malicious content.

Files are written before any link is made, so no path leads through a link; links are made only if
they cannot lead out of the folder, also through other links. The standard library's own filters had
gaps in supported releases of Python.
"""

from __future__ import annotations

import os
import shutil
import tarfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import IO

_MAX_MEMBERS = 200_000


def unpack(archive: IO[bytes], target: Path, most: int) -> None:
    """Unpack files, folders and harmless links into an empty folder.

    No owner or special mode is kept. Raises ``ValueError`` for more than ``most`` bytes, too many
    files or an invalid archive, and ``OSError`` if a file cannot be written.
    """
    try:
        _unpack(archive, target, most)
    except tarfile.TarError as error:
        raise ValueError(f"it is no archive: {error}") from error


def _unpack(archive: IO[bytes], target: Path, most: int) -> None:
    links: dict[str, str] = {}
    files: set[str] = set()
    total = 0
    with tarfile.open(fileobj=archive) as tar:
        for number, member in enumerate(tar):
            if number >= _MAX_MEMBERS:
                raise ValueError(f"it has more than {_MAX_MEMBERS} files")
            path = _inside(member.name)
            if path is None:
                continue
            if member.isdir():
                (target / path).mkdir(parents=True, exist_ok=True)
            elif member.issym():
                links[path] = member.linkname
            elif member.isreg() or (member.islnk() and _inside(member.linkname) in files):
                linked = target / str(_inside(member.linkname)) if member.islnk() else None
                total += linked.stat().st_size if linked else member.size
                if total > most:
                    raise ValueError(f"it has more than {most >> 20} MiB")
                _write(tar, member, target / path, linked)
                files.add(path)
    _link(target, links)


def _link(target: Path, links: Mapping[str, str]) -> None:
    """Make the links that cannot lead outside, unless their place is taken."""
    for path, leads_to in links.items():
        place = target / path
        if _is_harmless(path, leads_to) and not _through_link(target, path):
            place.parent.mkdir(parents=True, exist_ok=True)
            if not os.path.lexists(place):
                place.symlink_to(leads_to)


def _inside(name: str) -> str | None:
    """The path of a member below the folder; None for the folder itself and all outside."""
    pure = PurePosixPath(name)
    if pure.is_absolute() or ".." in pure.parts or not pure.parts:
        return None
    return str(pure)


def _write(tar: tarfile.TarFile, member: tarfile.TarInfo, place: Path, linked: Path | None) -> None:
    """Write a file; a hard link becomes a copy of the earlier file ``linked``."""
    place.parent.mkdir(parents=True, exist_ok=True)
    place.unlink(missing_ok=True)  # an archive may hold a file twice; the later one counts
    if linked is not None:
        shutil.copy2(linked, place)
        return
    content = tar.extractfile(member)
    if content is None:
        return
    with place.open("xb") as file:
        shutil.copyfileobj(content, file)
    place.chmod(0o755 if member.mode & 0o100 else 0o644)
    seconds = max(0.0, min(float(member.mtime), 2.0**33))
    os.utime(place, (seconds, seconds))


def _is_harmless(path: str, leads_to: str) -> bool:
    """Whether a link stays inside wherever other harmless links lead.

    Its steps up must come first, from a real folder, and be no more than the folders above it.
    """
    parts = PurePosixPath(leads_to).parts
    if not parts or PurePosixPath(leads_to).is_absolute():
        return False
    up = next((number for number, part in enumerate(parts) if part != ".."), len(parts))
    return ".." not in parts[up:] and up <= len(PurePosixPath(path).parts) - 1


def _through_link(target: Path, path: str) -> bool:
    """Whether a folder above the path is a link just made."""
    return any((target / above).is_symlink() for above in PurePosixPath(path).parents)
