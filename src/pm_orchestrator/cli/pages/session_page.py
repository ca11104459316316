"""A session laid out for people. Pure: a view in, text out."""

from pm_orchestrator.cli.pages.ends.spent_words import spent_words
from pm_orchestrator.domain.history.session import Session
from pm_orchestrator.runner.sessions.session_view import SessionView


def session_page(view: SessionView) -> str:
    """What `10` asks `/status` to show."""
    session = view.session
    lines = [
        f"session_id: {session.session_id}",
        f"status: {session.status}",
        f"overall_status: {view.overall_status}",
        f"current_phase: {session.current_phase}",
        f"next_action: {_word(value=view.next_action)}",
    ]
    lines.append(f"next_action_reason: {' '.join(view.next_action_reason.split())}")
    if view.waiting_task_id is not None:
        lines.append(f"waiting_task: {view.waiting_task_id}")
    lines.append(f"continuation_approved: {_word(value=session.continuation_approved)}")
    lines += [
        f"violation: {v.limit_type} {v.actual_value} > {v.limit_value}" for v in view.violations
    ]
    lines += [f"accepted: {task.external_task_id}" for task in view.tasks if task.accepted]
    lines += selection_lines(session)
    if view.spent is not None:
        lines.append(f"spent: {', '.join(spent_words(view.spent, 'en'))}")
    lines.append(f"tasks: {len(view.tasks)}, runs: {len(view.runs)}")
    return "\n".join(lines)


def selection_lines(session: Session) -> list[str]:
    """Who works for the session; without a model Claude Code chooses its own."""
    return [
        f"selected_provider: {session.selected_provider or 'UNSET'}",
        f"selected_model: {session.selected_model or 'UNSET'}",
    ]


def _word(*, value: bool) -> str:
    return "true" if value else "false"
