"""The list of models that comes with the program, and how it is laid out."""

import re
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, strategies as st

from pm_orchestrator.bootstrap.config import parse_settings
from pm_orchestrator.bootstrap.shipped_models import model_registry, price_of
from pm_orchestrator.cli.pages.model_pages import amount, model_label, models_page, tokens
from pm_orchestrator.cli.terminal.text_table import display_width, padded, table
from pm_orchestrator.domain.company.model_conversation import TokenUsage
from pm_orchestrator.domain.company.spending import cost_of
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.record import from_json
from pm_orchestrator.domain.setup.model_list import ListedModel, ModelRegistry
from pm_orchestrator.domain.setup.prices import Price
from pm_orchestrator.domain.setup.providers import PROVIDERS, Provider
from pm_orchestrator.domain.setup.settings import CompanySettings, PriceSettings, default_settings
from pm_orchestrator.domain.text import Lang, Sentence

LANGS: tuple[Lang, ...] = ("en", "ja")
every_provider = pytest.mark.parametrize("provider", PROVIDERS)
every_lang = pytest.mark.parametrize("lang", LANGS)


def test_every_provider_has_models_and_no_other_has() -> None:
    registry = model_registry()
    assert set(registry.models) == set(PROVIDERS)
    assert date.fromisoformat(registry.as_of) >= date(2026, 11, 1)
    assert all(source.startswith("https://") for source in registry.sources)


@every_provider
def test_an_entry_is_complete_or_says_that_it_is_not(provider: Provider) -> None:
    listed = model_registry().of(provider)
    names = [model.name for model in listed]
    assert len(names) == len(set(names)) > 0
    for model in listed:
        assert model.notes.en
        assert model.notes.ja
        assert (model.input is None) == (model.output is None), model.name
        if model.input is not None and model.output is not None:
            assert 0 < model.input < model.output < 1000, model.name
        assert model.context is None or 8_000 <= model.context <= 2_000_000, model.name


def test_the_default_is_the_newest_of_its_line_that_has_no_end() -> None:
    default = CompanySettings()
    assert default.adapter == "anthropic"
    assert model_registry().current("anthropic", default.model) == default.model
    assert model_registry().named("anthropic", default.model).is_current


@every_provider
def test_an_end_that_a_note_names_is_one_that_programs_see(provider: Provider) -> None:
    for model in model_registry().of(provider):
        for note in (model.notes.en, model.notes.ja):
            assert re.findall(r"\d{4}-\d\d-\d\d", note) == ([model.until] if model.until else [])


def test_the_newest_of_a_line_is_found_by_the_list_alone() -> None:
    def model(name: str, *, known: bool = True, until: str | None = None) -> ListedModel:
        price = Decimal(1) if known else None
        return ListedModel(
            name=name,
            context=None,
            input=price,
            output=price,
            notes=Sentence("x", "y"),
            until=until,
        )

    listed = (
        model("claude-opus-6"),
        model("claude-sonnet-7", known=False),
        model("claude-sonnet-6-1", until="2026-12-01"),
        model("claude-sonnet-6"),
        model("claude-sonnet-5"),
        model("gpt-6.1-sol"),
    )
    registry = ModelRegistry(as_of="2026-11-05", sources=(), models={"anthropic": listed})
    for name in (
        "claude-sonnet-5",
        "claude-sonnet-6-1",
        "claude-sonnet-6",
        "claude-sonnet-4-20250101",
    ):
        assert registry.current("anthropic", name) == "claude-sonnet-6"
    assert registry.current("anthropic", "gpt-5-sol") == "gpt-6.1-sol"
    # A line without any that may be begun with keeps what was chosen.
    assert registry.current("anthropic", "claude-haiku-4") == "claude-haiku-4"


def test_names_of_commands_are_no_names_of_models() -> None:
    names = {model.name for provider in PROVIDERS for model in model_registry().of(provider)}
    assert names.isdisjoint({"list", "select", "show"})


def test_the_aliases_of_claude_code_and_the_models_of_the_specification_are_listed() -> None:
    registry = model_registry()
    for alias in ("default", "opus", "sonnet", "haiku"):
        assert registry.named("claude-code", alias).input is None
    mini = registry.named("openai", "gpt-4o-mini")
    assert (mini.context, mini.input, mini.output) == (128_000, Decimal("0.15"), Decimal("0.6"))
    assert registry.named("openai", "gpt-4-turbo").output == 30


@pytest.mark.parametrize("name", ["", "GPT-4o", "gpt-4o ", "opus", "gpt"])
def test_a_name_is_found_exactly_or_not_at_all(name: str) -> None:
    with pytest.raises(PmError) as refused:
        model_registry().named("openai", name)
    assert refused.value.code == "E210"
    assert "gpt-4o-mini" in refused.value.hint()


@every_lang
@every_provider
def test_a_page_fits_a_terminal_and_lines_up(provider: Provider, lang: Lang) -> None:
    page = models_page(model_registry(), provider, None, lang).splitlines()
    assert all(display_width(line) <= 80 for line in page), max(page, key=display_width)
    rows = page[2 : 4 + len(model_registry().of(provider))]
    bars = {tuple(_bars(row)) for row in rows}
    assert len(bars) == 1
    assert len(bars.pop()) == 4


def _bars(line: str) -> list[int]:
    """In which cells the bars between columns are."""
    return [display_width(line[:index]) for index, c in enumerate(line) if c == "|"]


def test_a_page_as_the_specification_shows_it() -> None:
    def model(name: str, prices: tuple[str, str] | None, notes: str) -> ListedModel:
        low, high = (None, None) if prices is None else map(Decimal, prices)
        return ListedModel(
            name=name, context=128_000, input=low, output=high, notes=Sentence(notes, notes)
        )

    listed = (model("gpt-4o", ("2.5", "10"), "Most capable"), model("gpt-x", None, "Secret"))
    registry = ModelRegistry(as_of="2026-11-05", sources=(), models={"openai": listed})
    assert models_page(registry, "openai", "gpt-4o", "en").splitlines() == [
        "Available models for openai:",
        "",
        "  Model  | Context | Input$/1M | Output$/1M | Notes",
        "  -------|---------|-----------|------------|-------------",
        "  gpt-4o | 128K    | $2.50     | $10.00     | Most capable",
        "  gpt-x  | 128K    | -         | -          | Secret",
        "",
        "Currently selected: gpt-4o",
        "Prices in US dollars as of 2026-11-05; the provider's own page is what counts.",
        "-: depends on the account, or no published figure was found.",
    ]
    assert model_label(listed[0], "en") == "($2.50/$10.00 per 1M tokens - Most capable)"
    assert model_label(listed[1], "ja") == "(Secret)"


@pytest.mark.parametrize(
    ("count", "text"),
    [(None, "-"), (128_000, "128K"), (16_385, "16K"), (1_000_000, "1M"), (1_047_576, "1.05M")],
)
def test_tokens(count: int | None, text: str) -> None:
    assert tokens(count) == text


@pytest.mark.parametrize(("price", "text"), [("4", "4.00"), ("0.1", "0.10"), ("0.125", "0.125")])
def test_amounts_keep_their_digits(price: str, text: str) -> None:
    assert amount(Decimal(price)) == text


@pytest.mark.parametrize(("text", "width"), [("abc", 3), ("日本語", 6), ("ｱ", 1), ("e\u0301", 1)])
def test_display_width(text: str, width: int) -> None:
    assert display_width(text) == width
    assert display_width(padded(text, 9)) == 9


@given(
    st.integers(1, 4).flatmap(
        lambda width: st.lists(
            st.tuples(*[st.text(alphabet="aZ0日ア語e\u0301-", max_size=8)] * width),
            min_size=1,
            max_size=6,
        )
    )
)
def test_the_columns_of_any_table_line_up(rows: list[tuple[str, ...]]) -> None:
    lines = table(rows[0], rows[1:])
    assert len(lines) == len(rows) + 1
    assert len({tuple(_bars(line)) for line in lines}) == 1


def test_a_damaged_list_is_refused() -> None:
    good = msgspec.json.encode(model_registry())
    for broken in (good.replace(b'"2026-11-05"', b'"today"'), good.replace(b'"openai"', b'"x"')):
        with pytest.raises(msgspec.ValidationError):
            msgspec.json.decode(broken, type=ModelRegistry)


def used(tokens: int, out: int = 0, cached: int = 0, stored: int = 0) -> TokenUsage:
    return TokenUsage(
        input_tokens=tokens, output_tokens=out, cached_tokens=cached, stored_tokens=stored
    )


@pytest.mark.parametrize(
    ("model", "tokens", "dollars"),
    [
        ("claude-sonnet-5-5", used(1_000_000, 1_000_000), "12"),
        # From its cache a tenth, into it five quarters.
        ("claude-sonnet-5-5", used(1_000_000, cached=500_000, stored=500_000), "1.35"),
        ("gpt-6.1-sol", used(272_000, 1_000_000), "10.544"),
        # A longer question costs more, all of it.
        ("gpt-6.1-sol", used(272_001, 1_000_000), "16.088004"),
        ("gpt-6.1-sol", used(1_000, cached=1_000), "0.002"),
        ("claude-haiku-5-5", used(200_000), "0.1"),
        # One day's version of a model is that model.
        ("claude-haiku-4-5-20251001", used(1_000_000), "1"),
        ("gpt-4.1-2025-04-14", used(1_000_000), "2"),
    ],
)
def test_what_was_used_has_its_price(model: str, tokens: TokenUsage, dollars: str) -> None:
    price = price_of(model, {})
    assert price is not None
    assert cost_of(tokens, price) == Decimal(dollars)
    fixed, each = price.most(tokens.input_tokens)
    assert cost_of(tokens, price) <= fixed + each * tokens.output_tokens


def test_a_price_that_nobody_knows_is_none_and_the_settings_may_know_it() -> None:
    assert price_of("claude-fable-5-2", {}) is None
    assert price_of("my-own-model", {}) is None
    own = {"my-own-model": PriceSettings(input=0.1, output=0.2)}
    assert price_of("my-own-model", own) == Price(input=Decimal("0.1"), output=Decimal("0.2"))


@pytest.mark.parametrize(
    "wrong",
    [
        {"input": -1},
        {"output": "cheap"},
        {"output": None},
        {"outputs": 5},
        {"long_prompt": {"above": 0, "input": 2, "output": 2}},
        {"long_prompt": {"above": 9, "input": 2}},
    ],
)
def test_a_price_table_with_a_typo_is_refused_by_name(wrong: dict[str, Any]) -> None:
    model = {"name": "m", "context": None, "input": 1, "output": 5, "notes": ["x", "y"]}
    table: dict[str, Any] = {
        "as_of": "2026-11-05",
        "sources": [],
        "models": {"openai": [model | wrong]},
    }
    with pytest.raises(PmError, match=r"E302.*prices\.json"):
        from_json(ModelRegistry, msgspec.json.encode(table), "prices.json")
    assert from_json(
        ModelRegistry, msgspec.json.encode(table | {"models": {"openai": [model]}}), "prices.json"
    )


@pytest.mark.parametrize(
    "wrong", [{"input": -1, "output": 1}, {"input": 1}, {"in": 1, "output": 1}]
)
def test_a_price_in_the_settings_with_a_typo_is_refused(wrong: dict[str, Any]) -> None:
    content = msgspec.to_builtins(default_settings())
    content["budgets"]["prices"] = {"my-own-model": wrong}
    with pytest.raises(PmError, match=r"E104.*prices"):
        parse_settings(msgspec.json.encode(content), Path("settings.json"))
