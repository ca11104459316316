"""Models and their prices laid out for people. Pure: records in, text out."""

from decimal import Decimal

import msgspec

from pm_orchestrator.cli.terminal.text_table import table
from pm_orchestrator.domain.catalogue.repl_texts import tell
from pm_orchestrator.domain.setup.model_list import ListedModel, ModelRegistry
from pm_orchestrator.domain.setup.providers import Provider
from pm_orchestrator.domain.text import Lang

MILLION = 1_000_000
NO_FIGURE = "-"
CENTS = Decimal("0.01")


class VendorList(msgspec.Struct, frozen=True, kw_only=True):
    """What a provider said of its models when it was asked."""

    names: tuple[str, ...] = ()
    reason: str | None = None
    """Why it said nothing."""


NOT_ASKED = VendorList()


def models_page(
    registry: ModelRegistry,
    provider: Provider,
    selected: str | None,
    lang: Lang,
    said: VendorList = NOT_ASKED,
) -> str:
    """The provider's models with context, prices and notes."""
    listed = registry.offered(provider, said.names)
    columns = ("model", "context", "input", "output", "notes")
    heading = [tell(f"column_{column}", lang) for column in columns]
    rows = [
        (
            model.name,
            tokens(model.context),
            _dollars(model.input),
            _dollars(model.output),
            model.notes.say(lang),
        )
        for model in listed
    ]
    lines = [tell("models_title", lang, provider=provider), "", *table(heading, rows), ""]
    lines.append(tell("models_current", lang, model=selected or "UNSET"))
    if said.names:
        lines.append(tell("models_of_vendor", lang, provider=provider))
    elif said.reason is not None:
        lines.append(tell("models_not_said", lang, provider=provider, reason=said.reason))
    lines.append(tell("models_as_of", lang, date=registry.as_of))
    if any(None in (model.context, model.input, model.output) for model in listed):
        lines.append(tell("models_no_figure", lang))
    return "\n".join(lines)


def model_label(model: ListedModel, lang: Lang) -> str:
    """What is shown behind a model's name where one is chosen."""
    notes = model.notes.say(lang)
    if model.input is None or model.output is None:
        return f"({notes})" if notes else ""
    prices = {"input": amount(model.input), "output": amount(model.output)}
    return f"({tell('model_prices', lang, notes=notes, **prices)})"


def tokens(count: int | None) -> str:
    """A number of tokens in thousands or millions: 128K, 1.05M."""
    if count is None:
        return NO_FIGURE
    if count < MILLION:
        return f"{round(count / 1000)}K"
    return f"{count / MILLION:.2f}".rstrip("0").rstrip(".") + "M"


def amount(price: Decimal) -> str:
    """A price with its cents, and with all of its digits where it has more."""
    return str(price.quantize(CENTS)) if price == price.quantize(CENTS) else str(price.normalize())


def _dollars(price: Decimal | None) -> str:
    return NO_FIGURE if price is None else f"${amount(price)}"
