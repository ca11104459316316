"""The model list that comes with the program: `models.json` beside this file.

The Runner knows nothing of models; it hands on the name that was selected. The list is
for people who choose one, and for the loop that keeps a conversation inside its model's
window, so it is read here and only when somebody asks for it.
"""

from functools import cache
from pathlib import Path

from pm_orchestrator.domain.record import from_json
from pm_orchestrator.domain.setup.model_list import ModelRegistry, TokenRoom


@cache
def model_registry() -> ModelRegistry:
    """The list, read once."""
    source = Path(__file__).with_name("models.json")
    return from_json(ModelRegistry, source.read_bytes(), "models.json")


def room_of(name: str) -> TokenRoom:
    """The tokens that fit into a model, where that is known."""
    listed = (model for models in model_registry().models.values() for model in models)
    found = (TokenRoom(window=m.context, answer=m.answer) for m in listed if m.name == name)
    return next(found, TokenRoom())
