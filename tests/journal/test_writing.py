"""Groups: batches that come while one is written go together, in their order, and none is lost."""

from collections.abc import Sequence
from threading import Event, Thread

import pytest

from maxcode.errors import StoreUnavailableError, WriterError
from maxcode.journal.store import events
from maxcode.journal.writing import Batch, GroupWriter


def batch(seq: int) -> Batch:
    return Batch({events: [{"seq": seq, "chain": str(seq)}]}, sync=False)


class Database:
    """Notes what is written, once it may; the first attempts fail with ``errors``."""

    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)
        self.groups: list[list[int]] = []
        self.begun, self.free = Event(), Event()
        self.free.set()

    def __call__(self, batches: Sequence[Batch]) -> None:
        self.groups.append([one.last for one in batches])
        self.begun.set()
        assert self.free.wait(60)
        if self.errors:
            raise self.errors.pop(0)


def test_what_comes_meanwhile_is_one_group() -> None:
    database = Database()
    database.free.clear()
    writer = GroupWriter(database)
    writer.put(batch(0))
    assert database.begun.wait(60)
    for seq in (1, 2, 3):
        writer.put(batch(seq))
    tail = writer.tail
    assert tail
    assert (tail.last, tail.chain) == (3, "3")
    waiting = Thread(target=writer.wait, args=(2,))
    waiting.start()
    assert waiting.is_alive()
    database.free.set()
    waiting.join(60)
    writer.wait(3)
    assert database.groups == [[0], [1, 2, 3]]
    assert writer.tail is None


def test_a_group_that_may_be_there_is_tried_again_as_it_was() -> None:
    database = Database(StoreUnavailableError("gone"), StoreUnavailableError("still gone"))
    database.free.clear()
    writer = GroupWriter(database)
    writer.put(batch(0))
    assert database.begun.wait(60)
    writer.put(batch(1))
    database.free.set()
    with pytest.raises(StoreUnavailableError, match="gone"):
        writer.wait(1)
    with pytest.raises(StoreUnavailableError, match="still gone"):
        writer.put(batch(2))
    writer.put(batch(3))  # is waited for, as the last attempt failed
    assert database.groups == [[0], [0], [0], [1, 2, 3]]


def test_what_another_process_has_written_ends_it() -> None:
    database = Database(WriterError("another process is writing it"))
    writer = GroupWriter(database)
    writer.put(batch(0))
    with pytest.raises(WriterError, match="another process"):
        writer.wait(0)
    with pytest.raises(WriterError, match="another process"):
        writer.put(batch(1))
    assert database.groups == [[0]]


def test_nothing_is_waited_for_that_was_never_put() -> None:
    writer = GroupWriter(Database())
    writer.wait(17)  # of an earlier session
    writer.put(batch(18))
    writer.wait(17)
    writer.wait(18)
    assert writer.tail is None
