"""The layer of a project: which one its lock files ask for, and whether it is there."""

import asyncio
import hashlib
import platform
import sys

import msgspec

from pm_orchestrator.adapters.sandboxes.prepared.layer_store import (
    Layer,
    LayerPruning,
    LayerStore,
)
from pm_orchestrator.bootstrap.environment import Environment, read_environment
from pm_orchestrator.bootstrap.sandboxing.committed_tree import CommittedTree
from pm_orchestrator.domain.record import to_json
from pm_orchestrator.domain.setup.settings import Settings
from pm_orchestrator.gates.detect.setup_recipes import SetupRecipe, setup_recipe
from pm_orchestrator.ports.adapter import AdapterSite
from pm_orchestrator.ports.sandbox import WORKSPACE

FOLDER = "layers"


class ProjectLayer(msgspec.Struct, frozen=True, kw_only=True):
    """What a commit of a project asks to be installed."""

    recipe: SetupRecipe
    key: str
    runtime: str
    layer: Layer | None
    """None where it is not built yet."""


def layer_store(site: AdapterSite) -> LayerStore:
    """The user's layers."""
    return LayerStore(read_environment(site.variables).state_home / FOLDER)


async def prune_layers(
    environment: Environment, days: int, *, dry_run: bool = False
) -> LayerPruning:
    """Take away the user's layers that nothing has used for so many days."""
    store = LayerStore(environment.state_home / FOLDER)
    return await asyncio.to_thread(store.prune, days, dry_run=dry_run)


async def project_layer(
    settings: Settings, site: AdapterSite, commit: str, runtime: str
) -> ProjectLayer | None:
    """For one commit of the project; None where it needs no layer."""
    tree = await CommittedTree.at(site, commit)
    recipe = await setup_recipe(tree, settings.sandbox.setup, WORKSPACE)
    if recipe is None:
        return None
    key = _key(recipe, runtime)
    layer = await asyncio.to_thread(layer_store(site).find, key)
    return ProjectLayer(recipe=recipe, key=key, runtime=runtime, layer=layer)


def _key(recipe: SetupRecipe, runtime: str) -> str:
    """Whatever decides what the commands leave."""
    # The interpreter in /usr: environments link to it by name, compiled packages know its version.
    system = (platform.machine(), platform.libc_ver(), sys.platform)
    content = to_json((recipe.commands, recipe.files, recipe.variables, runtime, system))
    return hashlib.sha256(content).hexdigest()[:32]
