"""Programs that may not start, as shells and runtimes report them."""

import pytest

from pm_orchestrator.runner.instructions.effects.refused_programs import refused_programs


@pytest.mark.parametrize(
    ("instruction", "paths"),
    [
        (
            "-bash: ./scripts/deploy.sh: Permission denied\n\nfix pls",
            ("scripts/deploy.sh",),
        ),
        ("Error: spawn bin/run EACCES", ("bin/run",)),
        ("scripts/deploy.sh is not executable", ("scripts/deploy.sh",)),
        ("scripts/deploy.sh: 許可がありません", ("scripts/deploy.sh",)),
        ("cat: /etc/shadow: Permission denied", ()),
        ("../other/run: Permission denied", ()),
        ("Permission denied", ()),
    ],
)
def test_what_is_refused(instruction: str, paths: tuple[str, ...]) -> None:
    assert refused_programs(instruction) == paths
