"""The figures of a report are what plotly takes, though they are not made by it."""

from collections.abc import Callable

import pytest

from maxcode.report.document import RunDocument
from maxcode.report.figures import comparison, figures
from maxcode.report.history import History
from maxcode.search import Search

graph_objects = pytest.importorskip("plotly.graph_objects", reason="plotly is not installed")


def test_plotly_takes_every_figure(full: Callable[..., Search]) -> None:
    runs = []
    for search in (full(), full()):
        search.run()
        runs.append(RunDocument.of(History.of(search.state.log)))
    drawn = {**figures(runs[0]), **{f"all {name}": one for name, one in comparison(runs).items()}}
    assert {"tree", "curve-evaluations", "outcomes", "samples", "all outcomes"} <= drawn.keys()
    for figure in drawn.values():
        data, layout = figure["data"], figure["layout"]
        checked = graph_objects.Figure(data=data, layout=layout).to_plotly_json()
        assert len(checked["data"]) == len(data) > 0
        assert {"xaxis", "yaxis"} <= layout.keys()
