"""Draw `docs/conversation.svg`: a real conversation on a terminal, with a scripted executor.

The picture is text, and the same each time: whatever differs from run to run is replaced.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory

from pm_orchestrator.testing.programs.called_program import Program, clean_environment
from pm_orchestrator.testing.programs.drawn_repl import END_OF_SUMMARY, clear, ready
from pm_orchestrator.testing.programs.drawn_terminal import DrawnTerminal, Paint
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript, python_project

PICTURE = Path(__file__).parents[1] / "docs" / "conversation.svg"
COLUMNS, LINES = 88, 34
INSTRUCTION = "add a function mul(a, b) to calc.py, with a test"
STEPS = (
    ("text", "I add mul below add, and a test of it."),
    ("Edit", "calc.py"),
    ("Edit", "tests/test_calc.py"),
    ("Bash", "make test"),
)
WORK = """
printf '\\n\\ndef mul(a, b):\\n    return a * b\\n' >> calc.py
printf '\\n    def test_mul(self):\\n        self.assertEqual(calc.mul(2, 3), 6)\\n' \\
    >> tests/test_calc.py
"""
SAYS = "calc.py has mul(a, b) now, and tests/test_calc.py checks it."
Line = list[tuple[str, Paint]]
VARYING = (
    (re.compile(r"task-\d{13}"), "task-1768467600000"),
    (re.compile(r"session-\d{8}-[0-9a-f]{8}"), "session-20260115-0a1b2c3d"),
    (re.compile(r"\d+\.\d s\b"), "0.3 s"),
    (re.compile(r"Spent: (?:\d+ s, )?"), "Spent: 2 s, "),
)
CELL, LINE, MARGIN = 8.4, 19, 16
PAPER, INK = "#14161b", "#d8dade"
COLOURS = {"green": "#7bc275", "red": "#e5736b", "magenta": "#c792d6", "cyan": "#6fb8c7"}
"""Of the terminal that is drawn; the program itself asks for names only."""


def picture() -> str:
    """Hold the conversation, and draw the screen it ends with."""
    with TemporaryDirectory() as folder:
        return svg(_conversation(Path(folder)))


def _conversation(folder: Path) -> list[Line]:
    project, home, temporary = (folder / name for name in ("toolbox", "home", "tmp"))
    for new in (project, home, temporary):
        new.mkdir()
    environment = clean_environment(home, temporary)
    subprocess.run(["git", "init", "-q", "-b", "main"], cwd=project, check=True)
    python_project(project)
    assert Program(project, environment)("init").code == 0
    env = {**environment, **ClaudeScript(folder / "bin").does(_events() + WORK, says=SAYS)}
    with DrawnTerminal(project, env, "repl", columns=COLUMNS, lines=LINES) as screen:
        ready(screen)
        screen.type("/start\r")
        screen.wait_for("selected_model")
        clear(screen)
        screen.type(f"{INSTRUCTION}\r")
        screen.wait_until(lambda: "Spent:" in screen.text.rpartition(END_OF_SUMMARY)[2])
        screen.wait_for("\n>")
        return list(_without_gaps(screen.painted_lines))


def _without_gaps(lines: list[Line]) -> Iterator[Line]:
    """The room for menus above the last line is left out, but for one line."""
    was_blank = False
    for line in lines:
        is_blank = not "".join(text for text, _ in line).strip()
        if not (is_blank and was_blank):
            yield line
        was_blank = is_blank


def _events() -> str:
    """What the executor writes while it works, as a shell prints it."""
    lines: list[str] = []
    for number, (kind, said) in enumerate(STEPS):
        block = f'{{"type":"text","text":"{said}"}}'
        if kind != "text":
            key = "command" if kind == "Bash" else "file_path"
            given = f'{{"{key}":"{said}"}}'
            block = f'{{"type":"tool_use","id":"t{number}","name":"{kind}","input":{given}}}'
        lines.append(
            f'{{"type":"assistant","message":{{"id":"m{number}",'
            f'"usage":{{"input_tokens":600,"output_tokens":40}},"content":[{block}]}}}}'
        )
    return "\n".join(f"echo '{line}'" for line in lines)


def svg(lines: list[Line]) -> str:
    """The screen as text on paper."""
    width, height = round(COLUMNS * CELL + 2 * MARGIN), len(lines) * LINE + 2 * MARGIN
    page = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}">',
        f"<title>{escape(INSTRUCTION)}</title>",
        f'<rect width="{width}" height="{height}" rx="8" fill="{PAPER}"/>',
        f'<g font-family="ui-monospace, Menlo, Consolas, monospace" font-size="14" fill="{INK}">',
    ]
    for number, pieces in enumerate(lines):
        drawn = "".join(_piece(_settled(text), paint) for text, paint in pieces).rstrip()
        if drawn:
            y = MARGIN + number * LINE + 14
            page.append(f'<text x="{MARGIN}" y="{y}" xml:space="preserve">{drawn}</text>')
    return "\n".join([*page, "</g>", "</svg>"]) + "\n"


def _settled(text: str) -> str:
    for pattern, instead in VARYING:
        text = pattern.sub(instead, text)
    return text


def _piece(text: str, paint: Paint) -> str:
    look = ""
    if paint.colour in COLOURS:
        look += f' fill="{COLOURS[paint.colour]}"'
    if paint.bold:
        look += ' font-weight="bold"'
    return f"<tspan{look}>{escape(text)}</tspan>" if look else escape(text)


if __name__ == "__main__":
    into = Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURE
    into.write_text(picture(), encoding="utf-8")
