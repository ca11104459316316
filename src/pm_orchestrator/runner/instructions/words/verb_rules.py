"""What a class of English verbs does with the files of its clause."""

from typing import NamedTuple

from pm_orchestrator.runner.instructions.words import verbs as words


class VerbRule(NamedTuple):
    """What a class of verbs does with a file that is its object, and with one that is its place."""

    of_object: str
    lands: frozenset[str] = frozenset()
    """Prepositions before a file in which it is done."""
    sure: bool = True
    """Whether such a place has to change; a fault may be mended elsewhere."""


INSIDE = frozenset({"in", "inside", "within", "under", "onto"})
RULES: dict[str, VerbRule] = {
    "make": VerbRule("made", INSIDE | {"to", "into"}),
    "change": VerbRule("changed", INSIDE | {"into", "at", "of"}),
    "give": VerbRule("given", words.LANDS | {"as"}),
    # What follows "to" is a value.
    "set": VerbRule("changed", INSIDE | {"of"}),
    "remove": VerbRule("gone", INSIDE | {"from", "of", "at"}),
    "move": VerbRule("gone"),
    "replace": VerbRule("replaced", INSIDE | {"of", "at"}),
    "derive": VerbRule("", words.LANDS | {"as"}),
    # "Link to it from F": what leads there stands in F.
    "lead": VerbRule("perhaps", INSIDE | {"from"}),
    "read": VerbRule(""),
    "employ": VerbRule("", INSIDE),
    "run": VerbRule(""),
    "repair": VerbRule("perhaps", INSIDE | {"at", "of", "into"}, sure=False),
    "other": VerbRule("perhaps", INSIDE | {"to", "into", "of"}, sure=False),
}
