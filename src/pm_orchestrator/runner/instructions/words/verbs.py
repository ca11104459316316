"""English words by the part they play around a file's name."""

import msgspec


def _by_class(**lists: str) -> dict[str, str]:
    return {word: name for name, words in lists.items() for word in words.split()}


VERBS = _by_class(
    make="create generate write make touch scaffold produce draft start author compose",
    # The file itself is what is changed.
    change=(
        "update edit modify rewrite extend expand revise refactor improve reformat format sort"
        " clean tidy simplify restructure reorganize reorganise shorten overwrite document annotate"
        " lint modernize modernise polish proofread amend"
    ),
    # Something is brought to the file.
    give=(
        "add append prepend insert put save store export record dump log output apply attach"
        " include paste list mention describe implement define introduce register enter note import"
    ),
    # What follows "to" is a value, and no place.
    set="change set bump switch point adjust increase decrease raise lower reduce",
    repair=(
        "fix correct repair debug resolve handle address solve prevent avoid ensure support"
        " optimize optimise speed investigate patch validate check verify test cover allow"
        " let enable disable stop"
    ),
    remove="delete remove erase unlink rm drop",
    move="rename move mv",
    replace="replace swap",
    lead="link",
    derive="copy convert port split translate extract duplicate cp turn merge combine",
    read=(
        "explain summarize summarise read review analyze analyse see look compare show inspect"
        " find follow keep leave ignore match skip consider study respect open view tell quote"
    ),
    run="run execute call invoke launch use load parse install build deploy rerun",
)
GERUNDS = {f"{word.removesuffix('e')}ing": word for word in VERBS}


def word_set(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


SUBORDINATE = word_set("that which who whose how why whether because since so while until as")
CONDITION = word_set("if unless when whenever where once before after")
MAYBE = word_set("if unless when whenever where")
"""Of these, what makes it depend on something."""
NEGATIVE = word_set("not never without don't doesn't won't shouldn't can't cannot except")
MODALS = word_set("will would can could should must may might to")
DETERMINERS = word_set("the a an our my your this that these those its their each every all any")
SUBJECTS = DETERMINERS | word_set("it they he she i we you there")
FINITE = word_set(
    "is are was were has have had does do did should must will would can could may might needs"
    " need still fails crashes contains holds exists shall ought"
)
LANDS = word_set("to into in inside within at under onto")
SOURCES = word_set(
    "for about against around like using per than via unlike by through regarding on"
)
PREPOSITIONS = LANDS | SOURCES | word_set("of from with")
JOINS = word_set("and & or nor plus")
TEXT_PARTS = word_set(
    "link links typo typos spelling wording grammar heading headings badge badges sentence"
    " paragraph title table"
)
"""What only a text has."""


class VerbRule(msgspec.Struct, frozen=True):
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
    "give": VerbRule("given", LANDS | {"as"}),
    # What follows "to" is a value.
    "set": VerbRule("changed", INSIDE | {"of"}),
    "remove": VerbRule("gone", INSIDE | {"from", "of", "at"}),
    "move": VerbRule("gone"),
    "replace": VerbRule("replaced", INSIDE | {"of", "at"}),
    "derive": VerbRule("", LANDS | {"as"}),
    # "Link to it from F": what leads there stands in F.
    "lead": VerbRule("perhaps", INSIDE | {"from"}),
    "read": VerbRule(""),
    "employ": VerbRule("", INSIDE),
    "run": VerbRule(""),
    "repair": VerbRule("perhaps", INSIDE | {"at", "of", "into"}, sure=False),
    "other": VerbRule("perhaps", INSIDE | {"to", "into", "of"}, sure=False),
}
