"""A line that answers what the executor asked with its last words.

By itself a bare "yes" names nothing that could be proved; with its question it says what is
wanted, to the executor and to whoever reads the log.
"""

from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.runner.instructions.clarification import question_for
from pm_orchestrator.runner.instructions.kinds.small_talk import small_talk
from pm_orchestrator.runner.instructions.words.wording import plain, sentences

ASKS = LatePattern(r"(?:\?|(?:ます|です|ません|でしょう)か[。.]?)$")
MARKS = "*_`\"' \n\t)」』"
"""What a question may be set off with."""
LONGEST = 300


def question_at_end(words: str) -> str | None:
    """The question that an executor ends with; None where its last sentence is none."""
    said = sentences(plain(words).strip(MARKS))
    last = " ".join(said[-1].split()).strip(MARKS) if said else ""
    return last if ASKS.search(last) and len(last) <= LONGEST else None


def as_answer(line: str, question: str) -> str:
    """The line with the question, where it means nothing without it."""
    if small_talk(line) != "assent" and question_for(line) is None:
        return line
    return f'{line} (to your question: "{question.replace(chr(34), chr(39))}")'
