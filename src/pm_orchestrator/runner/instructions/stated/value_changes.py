"""Values that an instruction plainly asks to be put in the place of others.

"Set timeout to 60 in config.yaml", "8080を9090に変更して". What is only spoken of, depends on
something, or has a unit that may be written otherwise is not among them.
"""

from collections.abc import Iterator

from pm_orchestrator.domain.judging.value_change import ValueChange
from pm_orchestrator.runner.instructions.stated.literals import Marked, marked
from pm_orchestrator.runner.instructions.words.pasted import unpasted
from pm_orchestrator.runner.instructions.words.patterns import pattern
from pm_orchestrator.runner.instructions.words.wording import is_japanese, sentences

EXAMPLE = pattern(r"\be\.?g\b|\bfor\s+(?:example|instance)\b|\bsuch\s+as\b|例えば|たとえば|例:")


def value_changes(instruction: str) -> tuple[ValueChange, ...]:
    """Each value that is to take the place of another, once."""
    found: dict[ValueChange, None] = {}
    whole = marked(unpasted(instruction))
    for text in sentences(whole.text):
        if "\x01" in text and EXAMPLE.search(text) is None:
            found |= dict.fromkeys(_in_a_sentence(text, whole))
    return tuple(found)


def _in_a_sentence(text: str, tokens: Marked) -> Iterator[ValueChange]:
    if is_japanese(text):
        from pm_orchestrator.runner.instructions.stated.japanese_values import japanese_values

        return japanese_values(text, tokens)
    from pm_orchestrator.runner.instructions.stated.english_values import english_values

    return english_values(text, tokens)
