"""`review`: what waits for a person's approval."""

from pathlib import Path

import click

from pm_orchestrator.bootstrap.opening import open_project
from pm_orchestrator.cli.invocation import (
    Invocation,
    invocation,
    json_option,
    project_option,
    run_async,
)
from pm_orchestrator.cli.spoken_help import language_option
from pm_orchestrator.domain.catalogue.messages import say
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.runner.project.project import Project


@click.group()
@language_option
def command() -> None:
    """List or show runs that wait for a person's approval."""


@command.command("list")
@json_option
@project_option
@invocation
def list_reviews(call: Invocation, project: Path, *, as_json: bool) -> int:
    """One line per review."""

    async def work() -> int:
        found = await (await _open(call, project)).reviews().list()
        if as_json:
            call.screen.data(found)
            return 0
        for review in found:
            line = f"{review.review_id}  {review.state:<8}  {review.source_branch}  {review.title}"
            call.screen.line(line)
        if not found:
            call.screen.line(say("no_reviews", call.lang))
        return 0

    return run_async(work())


@command.command("show")
@click.argument("review_id")
@json_option
@project_option
@invocation
def show(call: Invocation, review_id: str, project: Path, *, as_json: bool) -> int:
    """Everything about one review."""

    async def work() -> int:
        found = await (await _open(call, project)).reviews().list()
        review = next((r for r in found if r.review_id == review_id), None)
        if review is None:
            raise PmError("no_such_review", review=review_id)
        if as_json:
            call.screen.data(review)
        else:
            call.screen.line(f"{review.review_id}: {review.title}")
            call.screen.line(f"{review.source_branch} -> {review.target_branch}  {review.state}")
            call.screen.line(f"commit {review.commit}")
            call.screen.line()
            call.screen.line(review.body.rstrip())
        return 0

    return run_async(work())


async def _open(call: Invocation, project: Path) -> Project:
    return await open_project(call.environment, project)
