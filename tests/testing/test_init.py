from maxcode import testing


def test_all_is_exact() -> None:
    public = {name for name in vars(testing) if not name.startswith("_")}
    modules = {name for name in public if type(getattr(testing, name)).__name__ == "module"}
    assert sorted(testing.__all__) == sorted(public - modules)
