"""How runs are named in a journal, and found again."""

import pytest
from tests._runs import begun

from maxcode.errors import RunNotFoundError
from maxcode.journal.journal import Journal


def test_runs_are_found_by_id_by_prefix_and_as_the_last(journal: Journal) -> None:
    ids = [begun(journal, name).run_id for name in ("sort", "sum", "search")]
    assert journal.run_ids() == ids[::-1]
    for run_id in ids:
        assert journal.run(run_id).run_id == run_id
        assert journal.run(run_id[:-3]).run_id == run_id
    assert journal.run("last").run_id == ids[-1]


def test_a_prefix_of_several_ids_is_refused_with_the_ids(journal: Journal) -> None:
    ids = [begun(journal, "sort").run_id for _ in range(2)]
    with pytest.raises(RunNotFoundError, match="begins several run ids") as caught:
        journal.run("sort")
    assert all(run_id in str(caught.value) for run_id in ids)


@pytest.mark.parametrize("name", ["nothing", "", "last", "%", "_"])
def test_a_run_that_is_not_there_is_named(journal: Journal, name: str) -> None:
    with pytest.raises(RunNotFoundError, match=f"no run '{name}' in .*it holds none yet"):
        journal.run(name)
    made = [begun(journal, "sort").run_id for _ in range(6)]
    if name != "last":
        with pytest.raises(RunNotFoundError, match=rf"no run '{name}' in .*{made[-1]}.*\.\.\."):
            journal.run(name)


@pytest.mark.parametrize(
    ("name", "start"),
    [("../../etc; DROP", "etc-drop-"), ("é", "run-"), ("x" * 500, "x" * 40 + "-")],
)
def test_an_id_is_made_of_the_name(journal: Journal, name: str, start: str) -> None:
    run_id = begun(journal, name).run_id
    assert run_id.startswith(start)
    assert len(run_id) <= 64
    assert journal.run(run_id).run_id == run_id
