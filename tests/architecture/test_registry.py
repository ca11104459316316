"""The registry holds strings, which no import contract sees: they are checked here."""

import importlib
import inspect

import pytest

from pm_orchestrator.bootstrap.registry import REGISTRY

ENTRIES = [
    pytest.param(target, id=f"{family}-{name}")
    for family, members in REGISTRY.items()
    for name, target in members.items()
]


@pytest.mark.parametrize("target", ENTRIES)
def test_an_entry_names_a_class_among_the_adapters(target: str) -> None:
    module, _, name = target.partition(":")
    assert module.startswith("pm_orchestrator.adapters.")
    assert inspect.isclass(getattr(importlib.import_module(module), name))


def test_no_family_is_empty() -> None:
    assert [family for family, members in REGISTRY.items() if not members] == []
