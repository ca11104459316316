"""Where agents' commands can be shut in: a sandbox is believed only when one has started."""

import shlex
import shutil

from pm_orchestrator.adapters.subprocesses import LocalCommands
from pm_orchestrator.bootstrap.doctor.surroundings import Finding, Level, Surroundings
from pm_orchestrator.bootstrap.host_git import HostGit
from pm_orchestrator.bootstrap.registry import SANDBOXES
from pm_orchestrator.bootstrap.sandboxing.ready_sandbox import ready_runtime
from pm_orchestrator.bootstrap.sandboxing.sandbox_shop import SandboxShop, sandbox_gates
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.ports.sandbox import SandboxSpec

PROBE_BYTES = 1024**2
CONTAINER_TOOLS = {
    "docker": ("version", "--format", "{{.Server.Version}}"),
    "podman": ("info", "--format", "{{.Version.Version}}"),
}


async def sandboxes(surroundings: Surroundings) -> list[Finding]:
    """Start each runtime there is. One that works is enough, unless another is configured."""
    wanted = surroundings.chosen.sandbox.runtime
    found = [(name, *await _start(surroundings, name)) for name in SANDBOXES.names]
    some_work = any(key == "sandbox" for _, key, _ in found)
    findings: list[Finding] = []
    for name, key, params in found:
        needed = name == wanted or (wanted == "auto" and not some_work)
        level: Level = "ok" if key == "sandbox" else "problem" if needed else "note"
        findings.append(surroundings.found(f"sandbox {name}", level, key, **params))
    return findings


async def _start(surroundings: Surroundings, name: str) -> tuple[str, dict[str, object]]:
    runtime = SANDBOXES.load(name).create(surroundings.site)
    try:
        sandbox = await runtime.open(SandboxSpec(name="doctor", disk_bytes=PROBE_BYTES))
        try:
            ended = await sandbox.run(("true",), timeout_s=10)
        finally:
            await sandbox.close()
    except PmError as error:
        lang = surroundings.lang
        return "sandbox_error", {"what": error.what(lang), "hint": error.hint(lang)}
    if ended.exit_code != 0:
        return "sandbox_command", {"code": ended.exit_code}
    return "sandbox", {}


async def workers(surroundings: Surroundings) -> list[Finding]:
    """Which coding CLIs could do a company's work in its sandboxes; only the chosen one has to."""
    from pm_orchestrator.bootstrap.crews.company_workers import CompanyWorkers, coding_clis

    chosen = surroundings.chosen.company.executor
    try:
        runtime = await ready_runtime(surroundings.chosen, surroundings.site)
    except PmError:
        # The check of the sandboxes says why.
        return []
    findings: list[Finding] = []
    for name in coding_clis():
        check = f"worker {name}"
        try:
            version = await CompanyWorkers(name, surroundings.site).version(runtime)
        except PmError as error:
            level: Level = "problem" if name == chosen else "note"
            what, hint = error.what(surroundings.lang), error.hint(surroundings.lang)
            findings.append(
                surroundings.found(check, level, "worker_unready", what=what, hint=hint)
            )
        else:
            findings.append(surroundings.found(check, "ok", "worker_ready", version=version))
    return findings


async def gates(surroundings: Surroundings) -> list[Finding]:
    """Which checks of the project's last commit could run in its sandboxes."""
    paths = surroundings.paths
    if surroundings.settings is None or not (paths.root / ".git").exists():
        return []
    environment = surroundings.environment
    git = HostGit(paths.root, environment, LocalCommands(), surroundings.clock, environment.masker)
    shop = SandboxShop(
        settings=surroundings.settings, site=surroundings.site, repository=git.repository
    )
    try:
        async with shop.opened() as sandbox:
            found = await sandbox_gates(shop.settings, sandbox)
    except PmError:
        # The checks of git and of the sandboxes say why.
        return []
    return [
        surroundings.found(
            f"check {gate.kind}",
            "ok" if gate.runs else "note",
            "gate_in_sandbox" if gate.runs else "gate_lacks_program",
            command=shlex.join(gate.command),
        )
        for gate in found
    ]


async def containers(surroundings: Surroundings) -> list[Finding]:
    """Docker and podman: present, and does their service answer?"""
    findings: list[Finding] = []
    for name, arguments in CONTAINER_TOOLS.items():
        path = shutil.which(name, path=surroundings.environment.search_path)
        if path is None:
            findings.append(surroundings.found(name, "note", "container_missing"))
            continue
        try:
            well, said = await surroundings.first_line(path, *arguments)
        except PmError as error:
            well, said = False, error.what(surroundings.lang)
        if well:
            findings.append(surroundings.found(name, "ok", "container", version=said))
        else:
            reason = said or "?"
            findings.append(
                surroundings.found(name, "note", "container_unreachable", reason=reason)
            )
    return findings
