"""The project: settings, evidence, who owns what, and what was left unfinished."""

from pm_orchestrator.adapters.stores.local_files import LocalFiles
from pm_orchestrator.adapters.stores.owner_survey import living_owner, owner_records
from pm_orchestrator.bootstrap.config import load_settings
from pm_orchestrator.bootstrap.doctor.surroundings import Finding, Surroundings
from pm_orchestrator.bootstrap.doctor.waiting import in_own_thread
from pm_orchestrator.bootstrap.opening import head_file
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.evidence.chain.integrity import check
from pm_orchestrator.runner.records.repl_states import ReplStates
from pm_orchestrator.runner.records.task_ledger import TaskLedger


async def settings(surroundings: Surroundings) -> list[Finding]:
    """`.claude/settings.json` and `repl.json`, read as the program reads them."""
    paths = surroundings.paths
    if not paths.claude.is_dir():
        return [surroundings.found("settings", "note", "no_project", path=paths.root)]
    findings: list[Finding] = []
    try:
        load_settings(paths)
        findings.append(surroundings.found("settings", "ok", "settings", path=paths.settings))
    except PmError as error:
        findings.append(_error(surroundings, "settings", error))
    state = paths.claude / "repl.json"
    if state.exists():
        try:
            head = head_file(surroundings.environment, paths)
            ReplStates(LocalFiles(surroundings.clock), surroundings.clock, state, head).read()
        except PmError as error:
            findings.append(_error(surroundings, "repl.json", error))
    return findings


async def evidence(surroundings: Surroundings) -> list[Finding]:
    """Every record and link again, as `evidence verify` does."""
    paths = surroundings.paths
    if not (paths.claude / "evidence").is_dir():
        return []
    head = head_file(surroundings.environment, paths)
    report = await in_own_thread(lambda: check(paths.claude, head, surroundings.lang))
    if report.intact:
        return [surroundings.found("evidence", "ok", "evidence", count=report.committed)]
    first = report.problems[0]
    params = {"count": len(report.problems), "path": first.path, "problem": first.sentence}
    return [surroundings.found("evidence", "problem", "evidence_broken", **params)]


async def owners(surroundings: Surroundings) -> list[Finding]:
    """Which sessions are in use, and how many records the dead have left."""
    if not surroundings.paths.owners.is_dir():
        return []
    findings: list[Finding] = []
    stale = 0
    for path, pid, alive in owner_records(surroundings.paths.owners):
        if path == surroundings.paths.executing and not alive:
            # One file for the project, taken over and over; it is no leftover.
            continue
        if alive:
            findings.append(
                surroundings.found("owner", "ok", "owner_alive", what=path.stem, pid=pid)
            )
        stale += not alive
    if stale:
        findings.append(surroundings.found("owners", "note", "owners_stale", count=stale))
    elif not findings:
        findings.append(surroundings.found("owners", "ok", "owners"))
    return findings


async def unfinished(surroundings: Surroundings) -> list[Finding]:
    """Tasks that have begun and not ended, their owners living or dead."""
    paths = surroundings.paths
    if not paths.claude.is_dir():
        return []
    tasks = TaskLedger(LocalFiles(surroundings.clock), paths.unfinished, None).unfinished()
    findings: list[Finding] = []
    for task in tasks:
        pid = living_owner(paths.owners / f"{task.session_id}.json")
        key = "unfinished_dead" if pid is None else "unfinished_running"
        params = {"task": task.task_id, "pid": pid}
        findings.append(surroundings.found("unfinished tasks", "note", key, **params))
    return findings or [surroundings.found("unfinished tasks", "ok", "unfinished_none")]


def _error(surroundings: Surroundings, name: str, error: PmError) -> Finding:
    lang = surroundings.lang
    params = {"code": error.code, "what": error.what(lang), "hint": error.hint(lang)}
    return surroundings.found(name, "problem", "settings_wrong", **params)
