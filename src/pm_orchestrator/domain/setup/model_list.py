"""What is known of the models of each provider: the form of the list, not its figures."""

from collections.abc import Collection
from decimal import Decimal
from typing import Annotated

from msgspec import Meta, Struct

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.setup.providers import Provider
from pm_orchestrator.domain.text import Sentence, printed

DATE = r"^\d{4}-\d{2}-\d{2}$"


class ListedModel(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One model; a figure that nobody could confirm is absent, never a guess."""

    name: Annotated[str, Meta(min_length=1)]
    context: Annotated[int, Meta(ge=1)] | None
    """Tokens."""
    answer: Annotated[int, Meta(ge=1)] | None = None
    """Tokens it may say at once."""
    input: Decimal | None
    """US dollars for a million tokens."""
    output: Decimal | None
    notes: Sentence
    until: Annotated[str, Meta(pattern=DATE)] | None = None
    """The day its provider ends it, where one has been named."""

    @property
    def is_current(self) -> bool:
        """Whether somebody may begin with it: its figures are known, and no end of it is."""
        return self.input is not None and self.until is None


class TokenRoom(Struct, frozen=True, kw_only=True):
    """How much fits into a model, and into one answer of it; None where nobody knows."""

    window: int | None = None
    answer: int | None = None


class ModelRegistry(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All listed models, and the day their figures were true."""

    as_of: Annotated[str, Meta(pattern=DATE)]
    sources: tuple[str, ...]
    models: dict[Provider, tuple[ListedModel, ...]]

    def of(self, provider: Provider) -> tuple[ListedModel, ...]:
        """The provider's models, newest first."""
        return self.models[provider]

    def offered(self, provider: Provider, names: Collection[str]) -> tuple[ListedModel, ...]:
        """The models that the provider itself names; those with known figures first.

        Where it names none, those of this list.
        """
        known = tuple(model for model in self.of(provider) if model.name in names)
        others = sorted(set(names) - {model.name for model in known})
        return (*known, *map(_unknown, others)) if names else self.of(provider)

    def named(self, provider: Provider, name: str, also: Collection[str] = ()) -> ListedModel:
        """The provider's model of exactly this name; `also` are those that it names itself.

        Raises:
            PmError: E210 for a name that is not on the list.
        """
        for model in self.of(provider):
            if model.name == name:
                return model
        if name in also:
            return _unknown(name)
        known = ", ".join(model.name for model in self.of(provider))
        raise PmError("model_unknown", model=printed(name), provider=provider, known=known)

    def current(self, provider: Provider, name: str) -> str:
        """The newest model of the line of `name` that somebody may begin with; else `name`."""
        mine = (m.name for m in self.of(provider) if m.is_current and _line(m.name) == _line(name))
        return next(mine, name)


def _unknown(name: str) -> ListedModel:
    return ListedModel(name=name, context=None, input=None, output=None, notes=Sentence("", ""))


def _line(name: str) -> tuple[str, ...]:
    """What a model is called without the numbers of its version: `claude-sonnet`, `gpt-sol`."""
    return tuple(part for part in name.split("-") if not part[:1].isdecimal())
