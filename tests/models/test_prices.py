from pathlib import Path

import pytest

from maxcode.errors import InputError
from maxcode.models.prices import LongPrompt, Price, load_prices, price_of

SMALL, BIG = Price.parse("1/2"), Price.parse("10/20")
TABLE = {"p:gpt-5": BIG, "p:gpt-5-mini": SMALL}


@pytest.fixture(autouse=True)
def config_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    folder = tmp_path / "config" / "maxcode"
    folder.mkdir(parents=True)
    return folder


@pytest.mark.parametrize("text", ["", "3", "3/", "a/b", "1/2/3/4/5", "-1/2", "nan/2", "1/inf"])
def test_what_is_no_price_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="price: "):
        Price.parse(text)


def test_long_prompts_cost_more_as_a_whole() -> None:
    price = Price(
        input=2, output=10, cached=0.2, written=2.5, long=LongPrompt(272_000, input=2, output=1.5)
    )
    assert price.dollars(input=272_000, output=1000) == pytest.approx(0.554)
    assert price.dollars(input=1, cached=272_000, output=1000) == pytest.approx(
        2 * 0.054402 + 1.5 * 0.01
    )


@pytest.mark.parametrize(
    ("model", "price"),
    [
        ("p:gpt-5", BIG),
        ("p:gpt-5-2025-08-07", BIG),
        ("p:gpt-5-20250807", BIG),
        ("p:gpt-5-latest", BIG),
        ("p:gpt-5-mini", SMALL),
        ("p:gpt-5-mini-2025-08-07", SMALL),
        ("p:gpt-5-mini@http://localhost:8000/v1", None),
        ("p:gpt-5-nano", None),
        ("p:gpt-5.5", None),
        ("p:gpt-50", None),
        ("p:gpt-5-0613", None),
        ("p:gpt", None),
        ("q:gpt-5", None),
    ],
)
def test_a_price_is_that_of_the_model_and_its_versions_only(
    model: str, price: Price | None
) -> None:
    assert price_of(model, TABLE) is price


def test_our_prices_are_plausible() -> None:
    table = load_prices()
    assert all(price.cached <= price.input for price in table.values())
    assert all(price.input < price.output for price in table.values())
    sonnet = price_of("anthropic:claude-sonnet-4-5-20250929", table)
    assert sonnet
    assert (sonnet.input, sonnet.output, sonnet.cached, sonnet.written) == (3, 15, 0.3, 3.75)


def test_the_users_prices_go_before_ours(config_folder: Path, tmp_path: Path) -> None:
    (config_folder / "prices.toml").write_text(
        "[anthropic.models]\nclaude-sonnet-4-5 = { input = 1, output = 2 }\n"
        '[openai.models]\n"qwen@http://here/v1" = { input = 0, output = 0 }\n'
    )
    given = tmp_path / "given.toml"
    given.write_text(
        '[openai]\nas_of = 2026-02-03\nsource = "a contract"\n'
        "[openai.models]\ngpt-5-mini = { input = 7, output = 8, cached = 1 }\n"
    )
    table = load_prices(given)
    assert table["anthropic:claude-sonnet-4-5"].input == 1
    assert table["openai:qwen@http://here/v1"].dollars(input=5, output=5) == 0
    assert table["openai:gpt-5-mini"] == Price(7, 8, cached=1, written=7)
    assert table["anthropic:claude-opus-4-5"].input == 5


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[a.models]\nm = { input = 1 }\n", ": a.models.m.output: this key is missing"),
        ("[a.models]\n\nm = { input = -1, output = 2 }\n", ": a.models.m.input: "),
        ("[a.models]\nm = { input = inf, output = 2 }\n", ": a.models.m.input: "),
    ],
)
def test_a_broken_file_is_told_with_its_place(tmp_path: Path, text: str, complaint: str) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(text)
    with pytest.raises(InputError) as caught:
        load_prices(file)
    assert str(file) in str(caught.value)
    assert complaint in str(caught.value)
