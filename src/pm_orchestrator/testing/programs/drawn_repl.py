"""A conversation on a drawn terminal: ready for input, with an executor that waits for us.

`UPDATE_SCREENS=1` writes the views on record anew; look at each before you keep it.
"""

import contextlib
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from pm_orchestrator.testing.programs.drawn_terminal import DrawnTerminal

CTRL_C, CTRL_D, CTRL_L, CTRL_U = "\x03", "\x04", "\x0c", "\x15"
ESC, UP, DOWN, ENTER = "\x1b", "\x1b[A", "\x1b[B", "\r"
END_OF_SUMMARY = "\n===================="
SAYS_SO = (
    '{"type":"assistant","message":{"id":"m1","usage":{"input_tokens":1200,"output_tokens":34},'
    '"content":[{"type":"tool_use","id":"t1","name":"Write",'
    '"input":{"file_path":"\'"$PWD"\'/hello.md"}}]}}'
)
# Works until it is let go, with a tool open, and shows what it uses.
WAITS = (
    f"echo '{SAYS_SO}'; echo $$ > ../working; "
    "while [ ! -e ../go ]; do sleep 0.05; done; echo hello > hello.md"
)


def shows(screen: DrawnTerminal, kept: Path) -> None:
    """Compare the screen with the one on record, once all of it is drawn."""
    if os.environ.get("UPDATE_SCREENS"):
        kept.write_text(screen.snapshot(), encoding="utf-8")
    wanted = kept.read_text(encoding="utf-8")
    with contextlib.suppress(AssertionError):
        screen.wait_until(lambda: screen.snapshot() == wanted, 5)
    assert screen.snapshot() == wanted


@contextmanager
def repl(project: Path, env: dict[str, str], term: str = "xterm") -> Generator[DrawnTerminal]:
    """A conversation with a session, ready for input."""
    with DrawnTerminal(project, env, "repl", term=term) as screen:
        ready(screen)
        screen.type("/start\r")
        screen.wait_for("selected_model")
        if term != "dumb":
            clear(screen)
        yield screen


def ready(screen: DrawnTerminal) -> None:
    """Wait for the prompt, and for what was found, which is printed above it a little later."""
    screen.wait_for("Executor")
    screen.wait_for("\n>")


def clear(screen: DrawnTerminal) -> None:
    """Have nothing on the screen but the prompt."""
    screen.type(CTRL_L)
    screen.wait_until(lambda: screen.lines[0] == ">")


def begin(screen: DrawnTerminal, project: Path, instruction: str = "create hello.md") -> int:
    """Have the executor begin; its process."""
    screen.type(f"{instruction}\r")
    pid = project.parent / "working"
    screen.wait_until(pid.exists)
    screen.wait_for("1,234")
    return int(pid.read_text(encoding="utf-8"))


def wait_for_verdict(screen: DrawnTerminal, seconds: float = 20.0) -> None:
    """Until the end of a task is shown, with all that stands below it, and the prompt is back."""

    def is_back() -> bool:
        _, summary, below = screen.text.rpartition(END_OF_SUMMARY)
        return bool(summary) and "\n>" in below

    screen.wait_until(is_back, seconds)


def let_go(project: Path) -> None:
    """Have the executor come to its end."""
    (project.parent / "go").touch()
