"""The model list that comes with the program: `models.json` beside this file.

The Runner knows nothing of models; it hands on the name that was selected. The list is
for people who choose one, and for the loop that keeps a conversation inside its model's
window, so it is read here and only when somebody asks for it.
"""

import re
from collections.abc import Mapping
from decimal import Decimal
from functools import cache
from pathlib import Path

from pm_orchestrator.domain.record import from_json
from pm_orchestrator.domain.setup.model_list import ListedModel, ModelRegistry, TokenRoom
from pm_orchestrator.domain.setup.prices import Price
from pm_orchestrator.domain.setup.settings import PriceSettings


@cache
def model_registry() -> ModelRegistry:
    """The list, read once."""
    source = Path(__file__).with_name("models.json")
    return from_json(ModelRegistry, source.read_bytes(), "models.json")


def room_of(name: str) -> TokenRoom:
    """The tokens that fit into a model, where that is known."""
    model = _listed(name)
    return TokenRoom() if model is None else TokenRoom(window=model.context, answer=model.answer)


def _listed(name: str) -> ListedModel | None:
    listed = (model for models in model_registry().models.values() for model in models)
    return next((model for model in listed if model.name == name), None)


DATED = re.compile(r"-(?:latest|\d{8}|\d{4}-\d{2}-\d{2})$")
"""What a provider adds to the name of a model for one day's version of it."""


def price_of(name: str, own: Mapping[str, PriceSettings]) -> Price | None:
    """What a model costs by the settings, or by the list; None where neither knows."""
    if (said := own.get(name)) is not None:
        return Price(input=Decimal(str(said.input)), output=Decimal(str(said.output)))
    registry = model_registry()
    return registry.price(name) or registry.price(DATED.sub("", name))
