"""What a project needs beside its own files, as it is prepared in the user's checkout."""

import asyncio
import os
from pathlib import Path

from pm_orchestrator.adapters.git.command import Git, isolated_environment
from pm_orchestrator.adapters.git.user.git_ignored import GitIgnored, repository_above
from pm_orchestrator.adapters.sandboxes.prepared.dependencies import Dependencies, dependencies
from pm_orchestrator.adapters.sandboxes.prepared.host_tools import UserPath
from pm_orchestrator.adapters.sandboxes.prepared.layer_store import without
from pm_orchestrator.bootstrap.environment import read_environment, users_own
from pm_orchestrator.bootstrap.sandboxing.project_layer import ProjectLayer, layer_store
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.setup.settings import Settings
from pm_orchestrator.ports.adapter import AdapterSite
from pm_orchestrator.ports.sandbox import SandboxSpec

MEGABYTE = 1024**2


async def project_needs(settings: Settings, site: AdapterSite) -> Dependencies:
    """Whatever is installed in the checkout; where git cannot say what it ignores, nothing."""
    environment = read_environment(users_own(site.variables, site.project))

    async def nowhere(_line: str) -> None:
        """It only looks."""

    git = Git(site.commands, site.clock, nowhere, isolated_environment(environment.search_path))
    top = await asyncio.to_thread(repository_above, site.project) or site.project
    try:
        ignored = await GitIgnored(git).ignored(top)
    except PmError:
        return Dependencies()
    folders = environment.search_path.split(os.pathsep)
    user = UserPath(
        folders=tuple(Path(folder) for folder in folders if folder.startswith("/")),
        home=environment.home,
        variables=environment.variables,
        own=(top, environment.state_home),
    )
    gates = settings.gates
    named = [argv[0] for argv in (gates.lint, gates.test, gates.build) if argv]

    def is_secret(text: str) -> bool:
        return bool(environment.masker.mask(text).found)

    return await asyncio.to_thread(dependencies, top, ignored, user, named, is_secret)


async def sandbox_spec(
    settings: Settings, site: AdapterSite, name: str, wanted: ProjectLayer | None = None
) -> SandboxSpec:
    """The sandboxes of a project: its limits, and what it needs in them.

    A layer stands in the place of what is prepared under the same names in the checkout.
    """
    sandbox, needs = settings.sandbox, await project_needs(settings, site)
    around = await asyncio.to_thread(repository_above, site.project)
    directories, variables, layered = needs.directories, needs.variables, False
    if wanted is not None and wanted.layer is not None:
        own = layer_store(site).directories(wanted.layer)
        directories = (*own, *without(directories, wanted.layer.directories))
        variables, layered = {**variables, **wanted.recipe.variables}, True
    return SandboxSpec(
        name=name,
        memory_bytes=sandbox.memory_mb * MEGABYTE,
        disk_bytes=sandbox.disk_mb * MEGABYTE,
        cpus=sandbox.cpus,
        directories=directories,
        files=needs.files,
        known_as=around if needs.names or layered else None,
        programs=needs.programs,
        variables=variables,
    )
