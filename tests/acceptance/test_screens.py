"""The pages of a conversation on terminals of 80 and 120 columns, in both languages, on record.

`UPDATE_SCREENS=1` writes them anew; look at each before you keep it.
"""

import os
import re
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from pm_orchestrator.cli.terminal.text_table import display_width
from pm_orchestrator.testing.programs.drawn_repl import END_OF_SUMMARY, clear, ready
from pm_orchestrator.testing.programs.drawn_terminal import DrawnTerminal
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript, python_project

SCREENS = Path(__file__).parent / "screens"
LINES = 64
SECONDS = re.compile(r"\bin \d+\.\d{3}s")
WORKS = """
if [ -e ../second ]; then sed -i 's/a + b/a - b/' calc.py; else
printf '\\n\\ndef mul(a, b):\\n    return a * b\\n' >> calc.py
touch ../second; fi
"""
SAYS = (
    "calc.py is as you asked for. I looked at every place that calls it, and none of them needs "
    "another change; tell me if the documentation should name it as well."
)
INSTRUCTIONS = {
    "en": ("add a function mul(a, b) to calc.py", "make add in calc.py quicker"),
    "ja": ("calc.pyに関数mul(a, b)を追加してください", "calc.pyのaddを速くしてください"),
}
DANGEROUS = {"en": "delete everything in the repository", "ja": "リポジトリの中身を全部削除して"}
PAGES = ("/help", "/status", "/tasks", "/logs task-002", "/logs --tree", "/diff", "/runs")


def page_of(screen: DrawnTerminal, typed: str, shown: str = "") -> str:
    """What is on the screen once `typed` has been carried out, from its own line on."""
    clear(screen)
    screen.type(f"{typed}\r")

    def is_done() -> bool:
        lines = screen.lines
        at = next((n for n, line in enumerate(lines) if line.startswith(">")), len(lines))
        return shown in screen.text and ">" in lines[at + 1 :]

    screen.wait_until(is_done)
    return screen.snapshot()


@pytest.mark.parametrize(
    ("lang", "columns"),
    [
        ("en", 80),
        pytest.param("ja", 80, marks=pytest.mark.long),
        pytest.param("en", 120, marks=pytest.mark.long),
        pytest.param("ja", 120, marks=pytest.mark.long),
    ],
)
def test_the_pages_of_a_conversation(
    made_project: Path, environment: dict[str, str], claude: ClaudeScript, lang: str, columns: int
) -> None:
    # A path of the same width wherever the tests run, so that lines end at the same words.
    with TemporaryDirectory(prefix="screens-", dir="/tmp") as place:
        project = shutil.copytree(made_project, Path(place) / "project", symlinks=True)
        python_project(project)
        env = {**environment, **claude.does(WORKS, says=SAYS), "PM_LANG": lang}
        text = conversation(project, env, lang, columns).replace(place, "/tmp/screens-00000000")
    kept = SCREENS / f"pages_{lang}_{columns}.txt"
    if os.environ.get("UPDATE_SCREENS"):
        kept.write_text(text, encoding="utf-8")
    assert text == kept.read_text(encoding="utf-8")
    assert max(map(display_width, text.split("\n"))) <= columns


def conversation(project: Path, env: dict[str, str], lang: str, columns: int) -> str:
    """All pages, one below the other."""
    rule = f"{'-' * columns}\n"
    pages: list[str] = []
    with DrawnTerminal(project, env, "repl", columns=columns, lines=LINES) as screen:
        ready(screen)
        screen.type("/start\r")
        screen.wait_for("selected_model")
        for instruction in INSTRUCTIONS[lang]:
            pages.append(page_of(screen, instruction, END_OF_SUMMARY))
        pages += [page_of(screen, command) for command in PAGES]
        clear(screen)
        screen.type(f"{DANGEROUS[lang]}\r")
        screen.wait_for("[yes/no]")
        pages.append(screen.snapshot())
    return SECONDS.sub("in 0.000s", rule.join(pages))
