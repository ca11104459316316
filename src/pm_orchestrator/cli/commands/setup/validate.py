"""`validate`: check a project's settings and change nothing."""

from pathlib import Path

import click

from pm_orchestrator.bootstrap.config import load_settings, project_directory
from pm_orchestrator.cli.invocation import Invocation, invocation, json_option, project_option
from pm_orchestrator.domain.catalogue.messages import say
from pm_orchestrator.runner.layout import ProjectPaths
from pm_orchestrator.runner.project.init_project import check_structure


@click.command()
@json_option
@project_option
@invocation
def command(call: Invocation, project: Path, *, as_json: bool) -> int:
    """Check .claude and its settings; with --json print the settings in force."""
    paths = ProjectPaths(project_directory(project))
    check_structure(paths)
    settings = load_settings(paths)
    if as_json:
        call.screen.data(settings)
    else:
        call.screen.line(say("settings_valid", call.lang, path=paths.settings))
    return 0
