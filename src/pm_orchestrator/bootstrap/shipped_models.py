"""The model list that comes with the program: `models.json` beside this file.

The Runner knows nothing of models; it hands on the name that was selected. The list is
for people who choose one, and for the loop that keeps a conversation inside its model's
window, so it is read here and only when somebody asks for it.
"""

from functools import cache
from pathlib import Path

from pm_orchestrator.domain.company.model_conversation import TokenUsage
from pm_orchestrator.domain.record import from_json
from pm_orchestrator.domain.setup.model_list import ListedModel, ModelRegistry, TokenRoom

MILLION = 1_000_000


@cache
def model_registry() -> ModelRegistry:
    """The list, read once."""
    source = Path(__file__).with_name("models.json")
    return from_json(ModelRegistry, source.read_bytes(), "models.json")


def room_of(name: str) -> TokenRoom:
    """The tokens that fit into a model, where that is known."""
    model = _listed(name)
    return TokenRoom() if model is None else TokenRoom(window=model.context, answer=model.answer)


def cost_of(name: str, usage: TokenUsage) -> float | None:
    """US dollars for these tokens, where the prices of the model are known."""
    model = _listed(name)
    if model is None or model.input is None or model.output is None:
        return None
    dollars = usage.input_tokens * model.input + usage.output_tokens * model.output
    return float(dollars / MILLION)


def _listed(name: str) -> ListedModel | None:
    listed = (model for models in model_registry().models.values() for model in models)
    return next((model for model in listed if model.name == name), None)
