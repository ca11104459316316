"""The registry holds strings, which no import contract sees: they are checked here."""

import pytest

from pm_orchestrator.bootstrap.registry import (
    ENGINES,
    EXECUTORS,
    FORGES,
    MODELS,
    QUEUES,
    SANDBOXES,
    Family,
)
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.setup.providers import KEY_VARIABLES
from pm_orchestrator.ports.adapter import AdapterFactory
from pm_orchestrator.ports.chat_model import Upstream

FAMILIES = (MODELS, SANDBOXES, QUEUES, ENGINES, FORGES, EXECUTORS)
ENTRIES = [
    pytest.param(family, name, id=f"{family.name}-{name}")
    for family in FAMILIES
    for name in family.names
]


@pytest.mark.parametrize(("family", "name"), ENTRIES)
def test_an_entry_names_a_factory_of_its_family(family: Family[AdapterFactory], name: str) -> None:
    assert type(family.load(name)).__module__.startswith("pm_orchestrator.adapters.")


def test_no_family_is_empty() -> None:
    assert [family.name for family in FAMILIES if not family.names] == []


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_an_unknown_name_is_told_with_the_known_ones(family: Family[AdapterFactory]) -> None:
    with pytest.raises(PmError, match="E503") as error:
        family.load("no-such")
    assert family.name in error.value.what()
    assert all(name in error.value.hint() for name in family.names)


@pytest.mark.parametrize(
    "target",
    [
        "pm_orchestrator.adapters.system_clock:SystemClock",
        "pm_orchestrator.adapters.engines.local:LocalEngines",
        "pm_orchestrator.adapters.forges.local_review:LocalForges",
    ],
)
def test_what_is_no_factory_of_the_family_is_refused(target: str) -> None:
    with pytest.raises(TypeError, match="is no QueueFactory"):
        Family("queues", "message_queue:QueueFactory", {"x": target}).load("x")


def test_the_key_of_a_provider_has_one_name() -> None:
    for name in MODELS.names:
        if name in KEY_VARIABLES:
            assert MODELS.load(name).upstream.key_variable == KEY_VARIABLES[name]


def test_a_key_that_nobody_would_mask_is_refused() -> None:
    with pytest.raises(ValueError, match="VENDOR_KEYS"):
        Upstream(base_url="https://vendor.invalid", key_variable="MY_PASSPHRASE")
    assert Upstream(base_url="http://127.0.0.1:11434").is_ready({})
