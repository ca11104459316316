"""Commands that need somebody who types are refused at once; honest ones run, servers aside."""

from pathlib import Path

import pytest

from pm_orchestrator.agents.tools.command_policy import never_ends, refusal
from pm_orchestrator.agents.tools.program_habits import HABITS


def table() -> dict[str, list[str]]:
    """The lines of each section."""
    found: dict[str, list[str]] = {}
    text = Path(__file__).with_name("command_lines.txt").read_text("utf-8")
    for line in text.splitlines():
        if line.startswith("== "):
            found[line.removeprefix("== ")] = []
        else:
            found[list(found)[-1]].append(line)
    return found


INTERACTIVE, HONEST, SERVERS = table().values()


def test_the_table_is_large_enough() -> None:
    assert len({*INTERACTIVE, *HONEST, *SERVERS}) >= 150


@pytest.mark.parametrize("line", INTERACTIVE)
def test_what_needs_somebody_who_types_is_refused(line: str) -> None:
    """E-13 Interactive Command Rejection: whatever stands around it."""
    found = refusal(line)
    assert found is not None
    assert found.instead
    assert "nobody is there" in found.say()


@pytest.mark.parametrize("line", [*HONEST, *SERVERS])
def test_whatever_ends_by_itself_or_serves_runs(line: str) -> None:
    assert refusal(line) is None


@pytest.mark.parametrize("line", SERVERS)
def test_what_never_ends_is_left_running(line: str) -> None:
    """E-14 Server Command Background Execution: it is told from what ends by itself."""
    assert never_ends(line)


@pytest.mark.parametrize("line", [*HONEST, *INTERACTIVE])
def test_what_ends_is_waited_for(line: str) -> None:
    assert not never_ends(line)


def test_a_text_that_a_command_reads_is_no_command() -> None:
    lines = "cat > notes.txt <<'EOF'\nvim a.txt\nless b.txt\nEOF\nmake test"
    assert refusal(lines) is None
    assert refusal(lines + "\nvim a.txt") is not None
    assert refusal("bash <<EOF\nvim a.txt\nEOF") is not None
    assert refusal("python - <<-END\n\tvim = 1\n\tEND\nnano x") is not None


def test_several_lines_are_several_commands() -> None:
    assert refusal("make test\nvim a.txt") is not None
    assert refusal("echo a \\\n  vim") is None
    assert refusal("echo 'a\nvim\n'") is None


@pytest.mark.parametrize("line", ["", "'", '"', "$(", "`", "<<", "a <<", "((((", "))", "\\", "$(("])
def test_no_line_is_too_broken(line: str) -> None:
    assert refusal(line) is None
    assert not never_ends(line)


def test_a_line_may_be_as_deep_as_it_likes() -> None:
    line = "vim"
    for _ in range(12):
        line = f"sh -c {line!r}"
    refusal(line)
    assert refusal("$(" * 500 + "vim" + ")" * 500) is None


def test_every_habit_says_what_is_done_instead() -> None:
    assert all(habit.instead for habit in HABITS.values())
