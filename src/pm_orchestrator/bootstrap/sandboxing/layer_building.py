"""Building a layer: the one time when a sandbox may reach the network.

The commands run inside, on the files of a commit, in a directory that is the sandbox's workspace
and nobody else's. What is new there afterwards is the layer; the host runs none of it.
"""

import asyncio
import re
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath

import msgspec

from pm_orchestrator.adapters.sandboxes.prepared.layer_store import Layer
from pm_orchestrator.bootstrap.sandboxing.project_layer import ProjectLayer, layer_store
from pm_orchestrator.bootstrap.sandboxing.project_needs import sandbox_spec
from pm_orchestrator.dispatch.agent_git import AgentGit
from pm_orchestrator.dispatch.sandbox_checkout import SandboxCheckout
from pm_orchestrator.domain.cancelling import undisturbed
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.setup.settings import Settings
from pm_orchestrator.gates.detect.setup_recipes import KEPT
from pm_orchestrator.ports.adapter import AdapterSite
from pm_orchestrator.ports.process import ProcessWatcher
from pm_orchestrator.ports.repository import Repository
from pm_orchestrator.ports.sandbox import Sandbox, SandboxRuntime
from pm_orchestrator.runner.layout import RunDirectory

BRANCH = "pm-setup"
LONGEST_S = 7_200.0
ROOM = 4 * 1024**3
"""Bytes, for what package managers unpack on the way."""
PASSED_ON = re.compile(
    r"(?i:(?:https?|all|no|ftp)_proxy)|SSL_CERT_(?:FILE|DIR)|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE|"
    r"NODE_EXTRA_CA_CERTS|GIT_SSL_CAINFO|PIP_CERT|CARGO_HTTP_CAINFO|"
    r"(?:PIP|UV)_(?:DEFAULT_)?(?:EXTRA_)?INDEX_URL|(?i:npm_config_(?:registry|cafile))|GOPROXY|"
    r"GONOSUMDB|GOSUMDB"
)
"""Variables that say how the network is reached, and where packages are."""
WITH_PASSWORD = re.compile(r"//[^/@\s]*:[^/@\s]*@")
NEW = re.compile(r"(?:\?\?|!!) (.+)/")


class LayerPlan(msgspec.Struct, frozen=True, kw_only=True):
    """All that a building needs."""

    wanted: ProjectLayer
    runtime: SandboxRuntime
    commit: str
    repository: Callable[[RunDirectory], Repository]


async def build_layer(
    settings: Settings, site: AdapterSite, plan: LayerPlan, watcher: ProcessWatcher
) -> Layer:
    """Run the commands and keep what they leave.

    Raises:
        PmError: E705 when a command fails, E706 when they leave nothing, E701 without a sandbox.
    """
    recipe, store = plan.wanted.recipe, layer_store(site)
    spec = await sandbox_spec(settings, site, f"setup-{plan.wanted.key[:8]}")
    place = await asyncio.to_thread(store.building_place)
    try:
        sandbox = await plan.runtime.open(
            msgspec.structs.replace(
                spec,
                bind_workspace=place,
                network=True,
                disk_bytes=max(spec.disk_bytes, ROOM),
                # Only programs: what is installed in the checkout would hide what is to be new.
                files=(),
                directories=tuple(d for d in spec.directories if d.at.startswith("/")),
                variables={**spec.variables, **passed_on(site.variables), **recipe.variables},
            )
        )
        try:
            await _check_out(sandbox, site, plan)
            for command in recipe.commands:
                await _run(sandbox, command, watcher)
            new = await _new_folders(sandbox)
        finally:
            await sandbox.close()
        layer = Layer(
            key=plan.wanted.key,
            runtime=plan.wanted.runtime,
            directories=new,
            size=0,
        )
        kept = await asyncio.to_thread(store.keep, place, layer)
        if kept is None:
            raise PmError("layer_empty", commands="; ".join(recipe.commands))
    except BaseException:
        await undisturbed(asyncio.to_thread(store.give_up, place))
        raise
    return kept


def passed_on(variables: Mapping[str, str]) -> dict[str, str]:
    """What package managers need of the environment; no address with a password in it."""
    return {
        name: value
        for name, value in variables.items()
        if PASSED_ON.fullmatch(name) and WITH_PASSWORD.search(value) is None
    }


async def _check_out(sandbox: Sandbox, site: AdapterSite, plan: LayerPlan) -> None:
    with tempfile.TemporaryDirectory(prefix="pm-setup-") as folder:
        repository = plan.repository(RunDirectory(Path(folder)))
        commit = await repository.import_base(site.project, plan.commit)
        await SandboxCheckout.load(sandbox, repository, BRANCH, commit)
    await sandbox.run(("mkdir", "-p", KEPT))


async def _run(sandbox: Sandbox, command: str, watcher: ProcessWatcher) -> None:
    ran = await sandbox.follow(
        ("sh", "-c", command), watcher, timeout_s=LONGEST_S, output_limit=64_000
    )
    if ran.exit_code == 0:
        return
    tail = (ran.stderr or ran.stdout).decode(errors="replace").strip()[-500:]
    code = "none" if ran.exit_code is None else str(ran.exit_code)
    raise PmError("setup_failed", command=command, code=code, output=" ".join(tail.split()) or "-")


async def _new_folders(sandbox: Sandbox) -> tuple[str, ...]:
    """What no commit has: git in the sandbox knows it best, and is believed in nothing else."""
    options = ("--porcelain", "-z", "--ignored=traditional", "--untracked-files=normal")
    listed = await AgentGit(sandbox).must("status", *options)
    found = (NEW.fullmatch(line) for line in listed.split("\0"))
    names = (match[1] for match in found if match is not None)
    return tuple(name for name in names if PurePosixPath(name).name != "__pycache__")
