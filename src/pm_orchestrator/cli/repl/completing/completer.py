"""Completion while typing: commands, their arguments, ids, and files in plain words."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from typing_extensions import override

from pm_orchestrator.cli.id_completion import KnownId, session_ids, task_ids
from pm_orchestrator.cli.repl.completing.repository_files import RepositoryFiles
from pm_orchestrator.cli.repl.conversation import Conversation
from pm_orchestrator.cli.repl.slash_command import SlashCommand, no_completion
from pm_orchestrator.cli.repl.slash_commands import COMMANDS
from pm_orchestrator.domain.catalogue.repl_texts import tell
from pm_orchestrator.domain.errors import PmError

# Japanese has no spaces around a file name, so a path is the last run of its usual letters.
PATH_AT_END = re.compile(r"[A-Za-z0-9_.~/+@-]+$")
NAMED = re.compile(r"(?:^|(?<=[^A-Za-z0-9_.]))@(?P<begun>[^\s@\"'、。，」』]*)$")
LOOKS_LIKE_PATH = re.compile(r"[./]")
MOST_FILES = 200
NEVER_OFFERED = frozenset({".git", ".pm-orchestrator", "node_modules", "__pycache__"})


class ReplCompleter(Completer):
    """Completes the line at the cursor; what cannot be read offers nothing."""

    def __init__(self, conversation: Conversation, files: RepositoryFiles) -> None:
        self._conversation = conversation
        self._known = files

    @override
    def get_completions(
        self, document: Document, complete_event: CompleteEvent
    ) -> Iterable[Completion]:
        line = document.text_before_cursor.lstrip()
        named = NAMED.search(line)
        if named is not None:
            return self._named(named["begun"])
        if not line.startswith("/"):
            return self._files(line, asked=complete_event.completion_requested)
        name, space, rest = line.partition(" ")
        if not space:
            return self._commands(name)
        command = COMMANDS.get(name)
        return () if command is None else self._arguments(command, rest)

    def _commands(self, begun: str) -> Iterator[Completion]:
        for name, command in COMMANDS.items():
            if name.startswith(begun) and (self._conversation.is_project or command.before_init):
                help_line = tell(command.help_key, self._conversation.screen.lang)
                yield Completion(name, -len(begun), display_meta=help_line)

    def _arguments(self, command: SlashCommand, rest: str) -> Iterator[Completion]:
        word = re.split(r"\s", rest)[-1]
        try:
            for found in self._found(command, rest):
                name, about = (found, "") if isinstance(found, str) else found
                if name.startswith(word):
                    yield Completion(name, -len(word), display_meta=about or None)
        except PmError:
            # A damaged file is reported by the command itself, not while it is typed.
            return

    def _found(self, command: SlashCommand, rest: str) -> Iterator[str | KnownId]:
        # What an argument is called in the help says what can stand there.
        logs = self._conversation.project / ".claude" / "logs"
        if "session" in command.arguments:
            yield from session_ids(logs)
        elif "task" in command.arguments and " " not in rest:
            yield from task_ids(logs)
        if command.complete is not no_completion:
            yield from command.complete(self._conversation, rest)

    def _named(self, begun: str) -> Iterator[Completion]:
        for name in self._known.containing(begun):
            # A name with a space in it is read where it stands in quotes.
            text = f'"{name}"' if " " in name else f"@{name}"
            yield Completion(text, -len(begun) - 1, display=name)

    def _files(self, line: str, *, asked: bool) -> Iterator[Completion]:
        match = PATH_AT_END.search(line)
        word = match.group() if match is not None else ""
        if not word or not (asked or LOOKS_LIKE_PATH.search(word)):
            return
        folder, _, begun = word.rpartition("/")
        for name in _names_in(self._conversation.project / Path(folder).expanduser(), begun):
            yield Completion(name, -len(begun))


def _names_in(folder: Path, begun: str) -> Iterator[str]:
    try:
        found = sorted(folder.iterdir())
    except OSError:
        return
    fitting = (
        path
        for path in found
        if path.name.startswith(begun)
        and path.name not in NEVER_OFFERED
        and (begun.startswith(".") or not path.name.startswith("."))
    )
    for _, path in zip(range(MOST_FILES), fitting, strict=False):
        yield f"{path.name}/" if path.is_dir() else path.name
