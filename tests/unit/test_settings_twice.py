"""A key that stands twice in the settings is refused: which of the two counts, nobody can tell."""

from pathlib import Path

import pytest

from pm_orchestrator.bootstrap.config import parse_settings
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.record import to_file
from pm_orchestrator.domain.setup.settings import default_settings

SOURCE = Path("/p/.claude/settings.json")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ('{"task_limits": {"files": 5}, "task_limits": {"files": 20}}', "'task_limits'"),
        ('{"task_limits": {"files": 5, "files": 20}}', "'task_limits.files'"),
        ('{"task_limits": {"files": 5, "files": 5}}', "'task_limits.files'"),
        (
            '{"company": {"fallback": {"adapter": "anthropic", "model": "a", "model": "b"}}}',
            "'company.model'",
        ),
    ],
)
def test_ours_may_stand_there_once(text: str, named: str) -> None:
    """R-3 Configuration Strict Validation: E104, whichever of the two would have counted."""
    with pytest.raises(PmError) as refused:
        parse_settings(text.encode(), SOURCE)
    assert refused.value.code == "E104"
    assert named in str(refused.value)


@pytest.mark.parametrize(
    "foreign",
    [
        '"permissions": {"allow": ["a"]}, "permissions": {}',
        '"hooks": {"PreToolUse": [], "PreToolUse": []}',
        '"env": [{"a": 1, "a": 2}]',
    ],
)
def test_what_is_not_ours_is_left_alone(foreign: str) -> None:
    """R-3 Configuration Strict Validation: another program's keys are its own business."""
    ours = to_file(default_settings()).decode()
    assert parse_settings(ours.replace("{", f"{{{foreign},", 1).encode(), SOURCE)
