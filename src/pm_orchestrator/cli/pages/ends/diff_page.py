"""The change that a task made, for a person: which files, and then the lines as git writes them."""

from pm_orchestrator.cli.pages.ends.file_lines import file_lines, files_heading
from pm_orchestrator.cli.terminal.paint import Paint
from pm_orchestrator.domain.catalogue.repl_texts import tell
from pm_orchestrator.domain.text import Lang
from pm_orchestrator.runner.tasks.task_diff import TaskDiff

HEADS = ("diff --git ", "--- ", "+++ ", "index ", "similarity ", "rename ", "copy ", "Binary ")
MODES = ("new file ", "deleted file ", "old mode ", "new mode ")
SHORT = 12
FIRST_PRINTABLE = 0x20
DELETE = 0x7F


def diff_page(diff: TaskDiff, lang: Lang, *, for_terminal: bool) -> str:
    """All of it; a pipe gets the lines unaltered, so that another program can read them."""
    if not diff.files:
        return tell("diff_nothing", lang, task=diff.task_id)
    page = [f"{diff.task_id}: {files_heading(diff.files, 0, lang)}"]
    page += [f"  {line}" for line in file_lines(diff.files, lang)]
    if diff.until != "its_end":
        page.append(tell(f"diff_until_{diff.until}", lang))
    if diff.left_out and diff.before and diff.after:
        ends = {"before": diff.before[:SHORT], "after": diff.after[:SHORT]}
        page.append(tell("diff_left_out", lang, count=diff.left_out, **ends))
    patch = diff.patch.removesuffix("\n")
    if not patch:
        return "\n".join(page)
    return "\n".join([*page, "", _shown(patch) if for_terminal else patch])


def diff_paint(line: str) -> Paint | None:
    """By what a line begins with, as git marks it."""
    if line.startswith("@@"):
        return Paint.PLACE
    if line.startswith((*HEADS, *MODES)):
        return Paint.STRONG
    if line.startswith("+"):
        return Paint.GOOD
    return Paint.BAD if line.startswith("-") else None


def _shown(patch: str) -> str:
    """Without anything that a terminal obeys: what steers it is written as people name it."""
    return "\n".join("".join(map(_visible, line)) for line in patch.split("\n"))


def _visible(character: str) -> str:
    if character.isprintable() or character == "\t":
        return character
    code = ord(character)
    if code < FIRST_PRINTABLE or code == DELETE:
        return f"^{chr(code ^ 0x40)}"
    return f"\\u{code:04x}"
