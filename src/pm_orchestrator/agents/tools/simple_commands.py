"""The commands that a shell line starts, as far as its words say.

Only what decides whether a command may run is read: its words, whether anything is given to
it to read, and whether the line goes on without waiting for it. What a variable holds is not
known here; a shell that reads from a text is read as well.
"""

from collections.abc import Iterator

import msgspec

OPERATORS = ("<<-", "<<<", "&&", "||", ";;", "|&", "<<", ">>", "<&", ">&", "<>", ">|", "&>")
SEPARATORS = frozenset({"&&", "||", ";;", ";", "|", "|&", "&", "\n", "(", ")"})
OPENING = frozenset(
    {"if", "then", "elif", "else", "while", "until", "do", "!", "{", "}"} | {"fi", "done"}
)
"""Words after which a command begins; `for` and the like are read as programs of no habits."""
DEEPEST = 8


class SimpleCommand(msgspec.Struct, kw_only=True):
    """One program with its arguments, its quotes taken off."""

    words: list[str]
    settings: dict[str, str] = msgspec.field(default_factory=dict[str, str])
    """Variables that are set for it alone."""
    fed: bool = False
    """Something is given to it to read: a pipe, a file, a text."""
    text: str | None = None
    """The text that it is given to read, where it stands in the line itself."""
    left_running: bool = False
    """The line goes on without waiting for it."""


class _Scan:
    """One pass over a line."""

    def __init__(self, line: str, depth: int) -> None:
        self._line = line
        self._at: int = 0
        self._depth = depth
        self._word: str | None = None
        self._tokens: list[tuple[bool, str]] = []
        """Whether it is an operator, and what it says."""
        self._inner: list[SimpleCommand] = []
        """Of command substitutions."""
        self._texts: list[str] = []
        """Here-documents in their order."""
        self._awaited: list[tuple[str, bool]] = []

    def commands(self) -> Iterator[SimpleCommand]:
        while self._at < len(self._line):
            self._step()
        self._end_word()
        yield from self._inner
        yield from _Build(self._texts).commands(self._tokens)

    def _step(self) -> None:
        line, at = self._line, self._at
        character = line[at]
        if character == "\\":
            self._add("" if line[at + 1 : at + 2] == "\n" else line[at + 1 : at + 2])
            self._at += 2
        elif character == "'":
            end = line.find("'", at + 1)
            end = len(line) if end < 0 else end
            self._add(line[at + 1 : end])
            self._at = end + 1
        elif character == '"':
            self._quoted()
        elif character == "`" or line.startswith(("$(", "<(", ">("), at):
            self._substituted()
        elif character in " \t\r":
            self._end_word()
            self._at += 1
        elif character == "#" and self._word is None:
            end = line.find("\n", at)
            self._at = len(line) if end < 0 else end
        elif character in "\n;&|()<>":
            self._operator()
        else:
            self._add(character)
            self._at += 1

    def _add(self, text: str) -> None:
        self._word = (self._word or "") + text

    def _end_word(self) -> None:
        if self._word is None:
            return
        self._tokens.append((False, self._word))
        before = self._tokens[-2] if len(self._tokens) > 1 else (False, "")
        if before in {(True, "<<"), (True, "<<-")}:
            self._awaited.append((self._word, before[1] == "<<-"))
        self._word = None

    def _operator(self) -> None:
        line, at = self._line, self._at
        sign = next((o for o in OPERATORS if line.startswith(o, at)), line[at])
        if sign[0] in "<>" and self._word is not None and self._word.isdigit():
            # The number of a descriptor belongs to what follows it.
            self._word = None
        self._end_word()
        self._tokens.append((True, sign))
        self._at += len(sign)
        if sign == "\n":
            self._take_texts()

    def _take_texts(self) -> None:
        """The here-documents that this line has announced."""
        for mark, indented in self._awaited:
            taken: list[str] = []
            while self._at < len(self._line):
                end = self._line.find("\n", self._at)
                end = len(self._line) if end < 0 else end
                line = self._line[self._at : end]
                self._at = min(end + 1, len(self._line))
                if (line.lstrip("\t") if indented else line) == mark:
                    break
                taken.append(line)
            self._texts.append("\n".join(taken))
        self._awaited = []

    def _quoted(self) -> None:
        self._add("")
        self._at += 1
        line = self._line
        while self._at < len(line) and line[self._at] != '"':
            if line[self._at] == "\\" and line[self._at + 1 : self._at + 2] in set('"\\$`\n'):
                self._add(line[self._at + 1].replace("\n", ""))
                self._at += 2
            elif line[self._at] == "`" or line.startswith("$(", self._at):
                self._substituted()
            else:
                self._add(line[self._at])
                self._at += 1
        self._at += 1

    def _substituted(self) -> None:
        """A command inside of a word: read by itself, and of no known value."""
        line, at = self._line, self._at
        if line[at] == "`":
            end = line.find("`", at + 1)
            inner, self._at = (
                (line[at + 1 :], len(line)) if end < 0 else (line[at + 1 : end], end + 1)
            )
        elif line.startswith("$((", at):
            end = line.find("))", at)
            inner, self._at = "", len(line) if end < 0 else end + 2
        else:
            end = _closing(line, at + 2)
            inner, self._at = line[at + 2 : end], end + 1
        self._add("$()")
        self._inner += simple_commands(inner, self._depth + 1)


def _closing(line: str, at: int) -> int:
    """Where the parenthesis that was opened before `at` is closed."""
    depth, quote = 1, ""
    while at < len(line):
        character = line[at]
        if character == "\\" and quote != "'":
            at += 1
        elif quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character in "()":
            depth += 1 if character == "(" else -1
            if not depth:
                return at
        at += 1
    return len(line)


def simple_commands(line: str, depth: int = 0) -> list[SimpleCommand]:
    """All commands of a line, those inside of substitutions first."""
    return list(_Scan(line, depth).commands()) if depth <= DEEPEST else []


class _Build:
    """Puts words and operators together again: one command after the other."""

    def __init__(self, texts: list[str]) -> None:
        self._texts = iter(texts)
        self._now = SimpleCommand(words=[])
        self._redirected = ""
        self._passing = ""
        """An operator up to which nothing is a command: values, or the patterns of `case`."""
        self._cases = 0

    def commands(self, tokens: list[tuple[bool, str]]) -> Iterator[SimpleCommand]:
        for is_operator, said in (*tokens, (True, "\n")):
            if self._passing:
                self._pass_over(is_operator, said)
            elif not is_operator:
                self._take(said)
            elif said == "(" and self._is_array():
                self._passing = ")"
            elif said in SEPARATORS:
                yield from self._separated(said)
            else:
                self._now.fed = self._now.fed or said.startswith("<")
                self._redirected = said

    def _separated(self, sign: str) -> Iterator[SimpleCommand]:
        done = self._now
        done.left_running = sign == "&"
        # `name(` begins a function.
        if done.words and sign != "(":
            yield done
        self._redirected = ""
        self._now = SimpleCommand(words=[], fed=sign in {"|", "|&"} or (sign == "(" and done.fed))
        if sign == ";;" and self._cases:
            self._passing = ")"

    def _pass_over(self, is_operator: bool, said: str) -> None:
        if said == "esac" and not is_operator and self._cases:
            self._cases -= 1
            self._passing = ""
        elif is_operator and said == self._passing:
            self._passing = ""

    def _is_array(self) -> bool:
        """Whether a parenthesis that comes now holds the values of a variable."""
        return not self._now.words and list(self._now.settings.values())[-1:] == [""]

    def _take(self, word: str) -> None:
        now, redirected, self._redirected = self._now, self._redirected, ""
        if redirected:
            self._take_target(word, redirected)
        elif now.words:
            now.words.append(word)
            if now.words[0] == "case" and word == "in":
                self._now, self._passing = SimpleCommand(words=[]), ")"
                self._cases += 1
        elif word == "esac":
            self._cases = max(self._cases - 1, 0)
        elif "=" in word and word.partition("=")[0].isidentifier():
            now.settings[word.partition("=")[0]] = word.partition("=")[2]
        elif word not in OPENING:
            now.words.append(word)

    def _take_target(self, word: str, redirected: str) -> None:
        now = self._now
        if redirected in {"<<", "<<-"}:
            now.text = next(self._texts, None)
        elif redirected == "<<<":
            now.text = word
        elif redirected == "<" and word == "/dev/null":
            now.fed = False
