"""The project: settings, evidence, who owns what, and what was left unfinished."""

from pm_orchestrator.adapters.stores.local_files import LocalFiles
from pm_orchestrator.adapters.stores.owner_survey import living_owner, owner_records
from pm_orchestrator.bootstrap.config import load_settings
from pm_orchestrator.bootstrap.doctor.patient import Finding, Patient
from pm_orchestrator.bootstrap.doctor.waiting import in_own_thread
from pm_orchestrator.bootstrap.opening import head_file
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.evidence.chain.integrity import check
from pm_orchestrator.runner.records.repl_states import ReplStates
from pm_orchestrator.runner.records.task_ledger import TaskLedger


async def settings(patient: Patient) -> list[Finding]:
    """`.claude/settings.json` and `repl.json`, read as the program reads them."""
    paths = patient.paths
    if not paths.claude.is_dir():
        return [patient.found("settings", "note", "no_project", path=paths.root)]
    findings: list[Finding] = []
    try:
        load_settings(paths)
        findings.append(patient.found("settings", "ok", "settings", path=paths.settings))
    except PmError as error:
        findings.append(_error(patient, "settings", error))
    state = paths.claude / "repl.json"
    if state.exists():
        try:
            ReplStates(LocalFiles(patient.clock), patient.clock, state).read()
        except PmError as error:
            findings.append(_error(patient, "repl.json", error))
    return findings


async def evidence(patient: Patient) -> list[Finding]:
    """Every record and link again, as `evidence verify` does."""
    paths = patient.paths
    if not (paths.claude / "evidence").is_dir():
        return []
    head = head_file(patient.environment, paths)
    report = await in_own_thread(lambda: check(paths.claude, head, patient.lang))
    if report.intact:
        return [patient.found("evidence", "ok", "evidence", count=report.committed)]
    first = report.problems[0]
    params = {"count": len(report.problems), "path": first.path, "problem": first.sentence}
    return [patient.found("evidence", "problem", "evidence_broken", **params)]


async def owners(patient: Patient) -> list[Finding]:
    """Which sessions are in use, and how many records the dead have left."""
    if not patient.paths.owners.is_dir():
        return []
    findings: list[Finding] = []
    stale = 0
    for path, pid, alive in owner_records(patient.paths.owners):
        if path == patient.paths.executing and not alive:
            # One file for the project, taken over and over; it is no leftover.
            continue
        if alive:
            findings.append(patient.found("owner", "ok", "owner_alive", what=path.stem, pid=pid))
        stale += not alive
    if stale:
        findings.append(patient.found("owners", "note", "owners_stale", count=stale))
    elif not findings:
        findings.append(patient.found("owners", "ok", "owners"))
    return findings


async def unfinished(patient: Patient) -> list[Finding]:
    """Tasks that have begun and not ended, their owners living or dead."""
    paths = patient.paths
    if not paths.claude.is_dir():
        return []
    tasks = TaskLedger(LocalFiles(patient.clock), paths.unfinished, None).unfinished()
    findings: list[Finding] = []
    for task in tasks:
        pid = living_owner(paths.owners / f"{task.session_id}.json")
        key = "unfinished_dead" if pid is None else "unfinished_running"
        params = {"task": task.task_id, "pid": pid}
        findings.append(patient.found("unfinished tasks", "note", key, **params))
    return findings or [patient.found("unfinished tasks", "ok", "unfinished_none")]


def _error(patient: Patient, name: str, error: PmError) -> Finding:
    lang = patient.lang
    params = {"code": error.code, "what": error.what(lang), "hint": error.hint(lang)}
    return patient.found(name, "problem", "settings_wrong", **params)
