import io
import tarfile
from pathlib import Path

import pytest

from maxcode.toolchain.archive import unpack

_MOST = 1 << 20


def unpacked(folder: Path, *members: tuple[str, bytes, str, bytes]) -> Path:
    """Where an archive was unpacked; of members: name, type, where a link leads, and content."""
    target = folder / "outer" / "inner"
    target.mkdir(parents=True)
    path = folder / "archive.tar"
    with tarfile.open(path, "w") as tar:
        for name, kind, link, content in members:
            info = tarfile.TarInfo(name)
            info.type, info.linkname, info.size, info.mode = kind, link, len(content), 0o6755
            tar.addfile(info, io.BytesIO(content))
    with path.open("rb") as archive:
        unpack(archive, target, _MOST)
    return target


FILE, FOLDER, LINK, HARD = tarfile.REGTYPE, tarfile.DIRTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE


def test_files_folders_and_links_are_what_they_were(tmp_path: Path) -> None:
    target = unpacked(
        tmp_path,
        ("./a/one", FILE, "", b"1"),
        ("./empty", FOLDER, "", b""),
        ("./a/two", LINK, "one", b""),
        ("./b/c/three", LINK, "../../a/one", b""),
        ("./same", HARD, "./a/one", b""),
    )
    assert {path.relative_to(target).as_posix() for path in target.rglob("*")} == {
        *("a", "a/one", "a/two", "b", "b/c", "b/c/three", "empty", "same")
    }
    assert (target / "b/c/three").read_bytes() == (target / "same").read_bytes() == b"1"
    assert (target / "a/one").stat().st_mode & 0o7777 == 0o755
    (target / "same").write_bytes(b"2")
    assert (target / "a/one").read_bytes() == b"1"


@pytest.mark.parametrize(
    "members",
    [
        [("../../x", FILE, "", b"x")],
        [("/var/maxcode-x", FILE, "", b"x")],
        [("a/../../../x", FILE, "", b"x")],
        [("a", LINK, "../..", b""), ("a/x", FILE, "", b"x")],
        [("a", LINK, "/var", b"")],
        [("a", LINK, "..", b"")],
        [("d/e/p", LINK, "../..", b""), ("d/e/l", LINK, "p/../../x", b"")],
        [("d/e/p", LINK, "../..", b""), ("q", LINK, "d/e/p/../../x", b"")],
        [("p", LINK, "d/e/f", b""), ("p/l", LINK, "../../../x", b"")],
        [("h", HARD, "/etc/hostname", b"")],
        [("h", HARD, "../../archive.tar", b"")],
        [("dev", tarfile.CHRTYPE, "", b""), ("fifo", tarfile.FIFOTYPE, "", b"")],
    ],
)
def test_nothing_leads_outside(
    tmp_path: Path, members: list[tuple[str, bytes, str, bytes]]
) -> None:
    target = unpacked(tmp_path, *members)
    for path in target.rglob("*"):
        assert path.resolve().is_relative_to(target)
        assert path.is_file() or path.is_dir() or path.is_symlink()
    assert {path.name for path in tmp_path.rglob("*")} - {
        path.name for path in target.rglob("*")
    } == {*("archive.tar", "outer", "inner")}
    assert not Path("/var/maxcode-x").exists()


def test_what_is_too_large_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="more than 1 MiB"):
        unpacked(tmp_path, ("a", FILE, "", bytes(_MOST)), ("b", FILE, "", b"1"))
