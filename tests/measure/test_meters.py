import pytest

from maxcode.errors import InputError
from maxcode.measure.meters import METERS, CpuTime, WallTime, meter
from maxcode.sandbox.base import Completed

RUN = Completed(code=0, stdout=b"", stderr=b"", wall=2.5, cpu=1.5, peak_memory=1)


def test_each_meter_reads_its_figure() -> None:
    assert CpuTime().read(RUN) == 1.5
    assert WallTime().read(RUN) == 2.5
    assert {one.unit for one in METERS} == {"s"}


def test_a_sample_is_above_0_even_where_the_clock_stood_still() -> None:
    still = Completed(code=0, stdout=b"", stderr=b"", wall=0.001, cpu=0.0, peak_memory=1)
    assert 0 < CpuTime().read(still) <= 1e-6


def test_meters_are_found_by_name() -> None:
    assert [meter(one.name) for one in METERS] == list(METERS)


def test_an_unknown_meter_is_an_error_that_lists_the_known() -> None:
    with pytest.raises(InputError, match=r"unknown meter 'sundial'; known: cpu, wall"):
        meter("sundial")
