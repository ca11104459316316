"""`evidence`: check or show what the Runner recorded; nothing is run and nothing is fetched."""

from pathlib import Path

import click

from pm_orchestrator.bootstrap.config import project_directory
from pm_orchestrator.bootstrap.opening import head_file, recover_evidence, stored_files
from pm_orchestrator.cli.invocation import (
    Invocation,
    invocation,
    json_option,
    project_option,
    run_async,
)
from pm_orchestrator.cli.spoken_help import language_option
from pm_orchestrator.cli.terminal.paint import no_paint
from pm_orchestrator.domain.catalogue.messages import say
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.ids import safe_name
from pm_orchestrator.domain.record import from_json
from pm_orchestrator.domain.tasks.evidence_record import Evidence
from pm_orchestrator.domain.tasks.status import EXIT_ERROR
from pm_orchestrator.evidence.chain.integrity import check
from pm_orchestrator.evidence.chain.links import record_path
from pm_orchestrator.evidence.chain.pruning import raw_log_of
from pm_orchestrator.runner.layout import ProjectPaths


@click.group()
@language_option
def command() -> None:
    """Verify or show the evidence of a project."""


@command.command("verify")
@json_option
@project_option
@invocation
def verify(call: Invocation, project: Path, *, as_json: bool) -> int:
    """Check every record, raw log and link of the chain again.

    Exit code 0 when everything is intact, 1 otherwise.
    """
    paths = _project(project)
    run_async(recover_evidence(call.environment, paths, stored_files()))
    report = check(paths.claude, head_file(call.environment, paths), call.lang)
    if as_json:
        call.screen.data(report)
    elif report.intact:
        call.screen.line(say("evidence_ok", call.lang, count=report.committed))
    if report.pruned and not as_json:
        call.screen.line(say("evidence_pruned", call.lang, count=report.pruned))
    for problem in report.problems if not as_json else ():
        call.screen.line(f"{problem.code} {problem.path}: {problem.sentence}")
    return 0 if report.intact else EXIT_ERROR


@command.command("show")
@click.argument("evidence_id")
@click.option("--raw", is_flag=True, help="Print its raw log instead.")
@json_option
@project_option
@invocation
def show(call: Invocation, evidence_id: str, project: Path, *, raw: bool, as_json: bool) -> int:
    """Print one record; it is JSON with and without --json."""
    if raw and as_json:
        raise PmError("options_exclude", options="--raw, --json", command="evidence show")
    paths = _project(project)
    record = record_path(paths.claude, safe_name(evidence_id, "evidence id"))
    if not record.is_file():
        raise PmError("no_such_evidence", evidence=evidence_id)
    data = record.read_bytes()
    evidence = from_json(Evidence, data, evidence_id)
    if raw:
        text = raw_log_of(stored_files(), paths.claude, evidence).decode("utf-8", "replace")
        call.screen.page(text.rstrip(), no_paint, wraps=False)
    else:
        call.screen.data(evidence)
    return 0


def _project(project: Path) -> ProjectPaths:
    paths = ProjectPaths(project_directory(project))
    if not paths.claude.is_dir():
        raise PmError("no_claude_dir", path=paths.root)
    return paths
