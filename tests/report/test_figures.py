"""The figures of a report are what plotly takes, though they are not made by it."""

from collections.abc import Callable
from itertools import pairwise

import pytest

from maxcode.report.document import RunDocument
from maxcode.report.figures import figures, thinned
from maxcode.report.history import History
from maxcode.search.search import Search

graph_objects = pytest.importorskip("plotly.graph_objects", reason="plotly is not installed")


@pytest.mark.slow
def test_plotly_takes_every_figure(full: Callable[..., Search]) -> None:
    search = full()
    search.run()
    drawn = figures(RunDocument.of(History.of(search.state.log)))
    assert {"tree", "curve-evaluations"} <= drawn.keys()
    for figure in drawn.values():
        data, layout = figure["data"], figure["layout"]
        checked = graph_objects.Figure(data=data, layout=layout).to_plotly_json()
        assert len(checked["data"]) == len(data) > 0
        assert {"xaxis", "yaxis"} <= layout.keys()


def test_of_many_points_those_that_rose_and_a_sample_are_drawn() -> None:
    heights = [float(place // 1000) for place in range(30_000)]
    drawn = thinned([*enumerate(heights)], key=lambda point: point[1])
    assert len(drawn) < 3000
    places = [place for place, _ in drawn]
    assert places == sorted(set(places))
    assert {1000 * rise for rise in range(30)} <= set(places)
    assert max(after - before for before, after in pairwise(places)) < 20
    assert thinned(heights[:2000], key=float) == heights[:2000]
