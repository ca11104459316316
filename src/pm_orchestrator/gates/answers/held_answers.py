"""Product code that holds the answers of its tests and computes nothing.

Tests cannot notice it: whatever they ask is there. So what they ask is read beside what the
task put into the product. A table of answers holds nothing that the tests do not ask, and
its questions have no end; a table that was asked for holds more, or its keys are names that
the instruction or the project knows, or it was there before and has grown. A function that
computed before the task, and now knows single values as well, was not repaired.
"""

import re
from collections.abc import Iterator, Mapping

from pm_orchestrator.domain.judging.quality import Dilution
from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.gates.answers.asked import Asked
from pm_orchestrator.gates.answers.held import is_trivial
from pm_orchestrator.gates.answers.open_questions import (
    ANY_NUMBER,
    are_computed,
    follows,
    is_a_name,
    is_open,
    is_scattered,
)
from pm_orchestrator.gates.answers.source import YES_OR_NO
from pm_orchestrator.gates.answers.suspects import Suspect
from pm_orchestrator.gates.answers.tables import HeldAnswer
from pm_orchestrator.gates.compare.task_names import asks_to_repair, words_of

ASKS_FOR_A_TABLE = LatePattern(
    r"\b(?:tables?|map(?:s|ping|pings)?|look-?ups?|constants?|hard-?cod\w*|stub\w*|mock\w*"
    r"|fakes?|dummy|placeholder\w*|dict(?:ionar(?:y|ies))?|enum\w*|special[- ]cas\w*)\b"
    r"|対応表|一覧表|変換表|テーブル|マッピング|辞書|定数|スタブ|モック|ダミー|仮の|仮実装|固定値|特別扱い",
    re.IGNORECASE | re.ASCII,
)
ALWAYS = LatePattern(
    r"\b(?:always|never|every\w*|all|any|regardless|disabl\w*|turn\w* off|switch\w* off"
    r"|no longer|stop|unconditional\w*|true|false)\b"
    r"|常に|必ず|決して|すべて|全て|全部|誰でも|無効|無条件|やめ|しない",
    re.IGNORECASE | re.ASCII,
)

KIND = LatePattern(r"(?<=[\[,])[snbzg]:")
FEW_LETTERS = 5
"""Of a value with its kind; a shorter one stands in many an answer by chance."""


class AnswerReader:
    """What is known to tell answers that were written down from those that are computed."""

    def __init__(self, instruction: str, tests: Mapping[str, str], project: str) -> None:
        self._instruction = instruction
        self._asked = Asked(tests)
        self._project = project
        """Product code and data as they were, in which names may be known."""

    def held(self, suspects: tuple[Suspect, ...]) -> Iterator[Dilution]:
        """Every function that holds answers of its tests without having been asked to."""
        if ASKS_FOR_A_TABLE.search(self._instruction):
            return
        for suspect in suspects:
            answer = self._constant(suspect) or self._table(suspect)
            if answer:
                name = suspect.function.name
                detail = " ".join(f"{name} {answer}".split())[:80]
                yield Dilution(kind="product_holds_answers", path=suspect.path, detail=detail)

    def _table(self, suspect: Suspect) -> str:
        """The questions and answers of a function that holds nothing else."""
        name = suspect.function.name
        asked = [e for e in suspect.added if self._is_asked(name, e)]
        asked = [e for e in asked if not self._is_known(suspect, e)]
        if not asked:
            return ""
        more = len([e for e in suspect.entries if not self._is_asked(name, e)])
        opened = [e for e in asked if is_open(e.asked, e.answer or "")]
        if suspect.before == "work":
            # Words with an answer of their own are exceptions, as every language has them.
            single = [e for e in asked if not self._is_an_exception(name, e)]
            found = single if not more else opened if len(opened) >= more else []
        elif self._computes(suspect, asked):
            found = []
        else:
            found = opened if len(opened) >= max(more, 1) else []
            if not more and not found and self._has_no_end(suspect, asked):
                found = asked
        return "; ".join(_shown(entry) for entry in found[:3])

    def _has_no_end(self, suspect: Suspect, entries: list[HeldAnswer]) -> bool:
        """Whether questions that look like names or codes cannot be all there are."""
        values = frozenset[str]().union(*(entry.asked for entry in entries))
        answers = {entry.answer or "" for entry in entries}
        if len(entries) == 1:
            return True
        any_number = bool(ANY_NUMBER & set(suspect.function.parameters))
        return is_scattered(values) and (any_number or are_computed(answers))

    def _constant(self, suspect: Suspect) -> str:
        """The answer of a function that gives the same to every question."""
        answer, function = suspect.constant, suspect.function
        if answer is None or set(function.parameters) & _words(suspect):
            return ""
        if self._is_said(answer) or ALWAYS.search(self._instruction):
            return ""
        if not self._asked.expects(function.name, answer):
            return ""
        given_up = suspect.before == "work"
        return _text(answer) if given_up or self._is_made_up(suspect, answer) else ""

    def _is_made_up(self, suspect: Suspect, answer: str) -> bool:
        """Whether a new function that says one thing was to say something of what it is given."""
        name, parameters = suspect.function.name, set(suspect.function.parameters)
        if suspect.polymorphic or (is_trivial(answer) and answer not in YES_OR_NO):
            return False
        if parameters:
            given = frozenset[str]().union(*self._asked.calls.get(name, frozenset()))
            questions = [value for value in given if not is_trivial(value)]
            if not questions or answer[0] not in "bs":
                return bool(questions)
            any_number = is_scattered(questions) and bool(ANY_NUMBER & parameters)
            return any_number or is_open(given, answer) or follows(answer, given)
        state = suspect.has_state and answer not in YES_OR_NO
        return state and follows(answer, self._asked.around(name, answer))

    def _is_an_exception(self, name: str, entry: HeldAnswer) -> bool:
        """Whether it maps one name to another, and leaves out nothing that tests give with it."""
        answer = entry.answer or ""
        if not answer.startswith("s:") or not all(map(is_a_name, entry.asked)):
            return False
        questions = self._asked.asks(name, entry.asked, answer)
        given = min((q.values for q in questions), key=len, default=frozenset[str]())
        others = {v for v in given - entry.asked - {answer} if len(v) > FEW_LETTERS}
        return not follows(answer, others)

    def _is_asked(self, name: str, entry: HeldAnswer) -> bool:
        return entry.answer is not None and bool(self._asked.asks(name, entry.asked, entry.answer))

    def _computes(self, suspect: Suspect, entries: list[HeldAnswer]) -> bool:
        """Whether tests ask a new function for more than it holds: that has to be computed."""
        if _only_knows(suspect):
            return False
        held = [entry.asked for entry in suspect.entries]
        name = suspect.function.name
        rows = (
            row.values
            for entry in entries
            for row in self._asked.rows(self._asked.asks(name, entry.asked, entry.answer or ""))
        )
        calls = self._asked.calls.get(name, frozenset())
        others = (values for values in (*rows, *calls) if not any(one <= values for one in held))
        return any(not all(map(is_trivial, values)) for values in others)

    def _is_known(self, suspect: Suspect, entry: HeldAnswer) -> bool:
        """Whether somebody else than the tests has spoken of this question."""
        if all(map(self._is_said, entry.asked)):
            return not self._is_example(suspect, entry)
        names = [value for value in entry.asked if is_a_name(value)]
        return len(names) == len(entry.asked) and all(
            len(value) > 4 and _stands(value[2:], self._project) for value in names
        )

    def _is_said(self, value: str) -> bool:
        text = value[2:]
        if value.startswith("g:"):
            return False
        if (
            value.startswith("s:")
            and text.isascii()
            and text.casefold() in words_of(self._instruction)
        ):
            return True
        return bool(text) and _stands(text.casefold(), self._instruction.casefold())

    def _is_example(self, suspect: Suspect, entry: HeldAnswer) -> bool:
        """Whether an instruction shows one case of many, and does not say all there are."""
        answer, name = entry.answer or "", re.escape(suspect.function.name)
        call = re.search(rf"\b{name}\s*\(([^()\n]*)\)", self._instruction)
        shown = call is not None and any(_stands(v[2:], call[1]) for v in entry.asked)
        opened = is_open(entry.asked, answer)
        if suspect.before != "work" or not asks_to_repair(self._instruction):
            return shown and opened
        any_number = bool(ANY_NUMBER & set(suspect.function.parameters))
        return opened or (any_number and (shown or are_computed([answer])))


def _only_knows(suspect: Suspect) -> bool:
    """`return n in {2, 3, 5}` of any number: all others get a no, and nothing is computed."""
    body = [token.text for token in suspect.function.body if token.kind not in {"line", "string"}]
    alone = body[:1] == ["return"] and body.count("return") == 1 and body[2:3] == ["in"]
    return alone and bool(ANY_NUMBER & set(suspect.function.parameters))


def _stands(value: str, text: str) -> bool:
    """Whether a value stands in a text by itself; Japanese is written without blanks."""
    found = rf"(?<![A-Za-z0-9_.]){re.escape(value)}(?![A-Za-z0-9_]|\.\d)"
    return re.search(found, text) is not None


def _words(suspect: Suspect) -> set[str]:
    return {token.text for token in suspect.function.body if token.kind == "name"}


def _shown(entry: HeldAnswer) -> str:
    asked = ", ".join(sorted(_text(value) for value in entry.asked))
    return f"{asked}: {_text(entry.answer or '')}"


def _text(value: str) -> str:
    if value in YES_OR_NO:
        return "yes" if value == "b:1" else "no"
    if value.startswith("g:"):
        return KIND.sub("", value[2:])
    return f'"{value[2:]}"' if value.startswith("s:") else value[2:]
