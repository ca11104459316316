"""What an English sentence wants with each file it names, read from its clauses.

Each clause has a verb at its head that says what is done, and a preposition before the name
that says whether it is done to the file, in it, or only with regard to it. What a relative or
conditional clause says will be done by somebody else, or only perhaps; what is negated is not
to be done at all.
"""

import msgspec

from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.runner.instructions.file_names import Mention, unnamed
from pm_orchestrator.runner.instructions.words import verbs as words
from pm_orchestrator.runner.instructions.words.english_tokens import english_tokens
from pm_orchestrator.runner.instructions.words.file_roles import NOTHING, Reading, Role
from pm_orchestrator.runner.instructions.words.verbs import INSIDE, RULES

THIRD_PERSON = LatePattern(r"[a-z]{2,}(?:s|ed)")
AFTER_OBJECT = words.word_set(
    ", ; : ) . ! ? & and or but then with to in into for that which so containing from at as by if"
    " when using where please first again too also instead file files under below inside on about"
    " based unless only now accordingly like"
)


NAME = "\x00"
"""In a token that stands for a name."""
KEEPS = words.word_set("stay stays remain remains")
LEFT = words.word_set("fine ok okay untouched unchanged unaffected")
OUGHT = words.word_set("should must shall")
OUGHT_TO = words.word_set("needs need has have ought")
REPOSITORIES = words.word_set("submodule subtree remote worktree dependency workspace")
SETTLED_THERE = frozenset({"let", "allow", "support", "enable", "disable", "rename"})
"""Whoever says where to do it, as in `In F, rename …`, leaves no other place for it."""
BRINGS = frozenset({"add", "include", "introduce", "append", "implement", "define"})
"""With a file as the object: the file itself is brought, and not its name."""


class _State(msgspec.Struct):
    verb: str = ""
    kind: str = ""
    """The class of the verb; `other` for a verb nobody knows, empty in a statement."""
    preposition: str = ""
    taken: bool = False
    """The preposition has its file, so that another one begins anew."""
    away: bool = False
    """Below a subordinate word: somebody else, or some other time."""
    finite: bool = False
    """The subordinate clause has a verb of its own form, so a bare verb starts anew."""
    negative: bool = False
    maybe: bool = False
    excluded: bool = False
    """Only the next names are left out."""
    objects: list[int] = msgspec.field(default_factory=list[int])
    """Mentions that are the verb's own object."""


def english_roles(sentence: str, named: list[Mention]) -> list[Reading]:
    """A reading of each mention, in order."""
    reader = _Reader(sentence, named)
    return reader.read()


class _Reader:
    def __init__(self, sentence: str, named: list[Mention]) -> None:
        self._named = named
        self._found: dict[int, Reading] = {}
        self._tokens = english_tokens(unnamed(sentence, named))
        self._at = 0

    def read(self) -> list[Reading]:
        state = self._begin(self._after_place())
        while self._at < len(self._tokens):
            token = self._tokens[self._at]
            low = token.lower()
            if NAME in token:
                number = int(token.strip("\x00"))
                self._found[number] = self._reading(state, number)
                state.taken = bool(state.preposition)
            elif low in {",", ";", ":", "then", "but", "-", "--", "("} or low in words.JOINS:
                following = self._clause_after(state, low)
                if following is not None:
                    state = following
                    continue
                if low == "but":
                    state.negative = False
                if low in {",", ";", "then", "but"}:
                    state.excluded = False
            else:
                self._word(state, low)
            self._at += 1
        return [self._found.get(n, NOTHING) for n in range(len(self._named))]

    def _after_place(self) -> int:
        """`In F, add …` and `F: add …` name the place first; the verb's clause comes after it."""
        tokens = [token.lower() for token in self._tokens[:5]]
        first = 1 if tokens[:1] and tokens[0] in INSIDE else 0
        if not tokens[first : first + 1] or NAME not in tokens[first]:
            return 0
        at = first + 1
        if tokens[at : at + 1] in ([","], [":"], ["-"]):
            at += 1
        elif not first:
            return 0
        verb = tokens[at] if at < len(tokens) else ""
        rule = RULES.get(words.VERBS.get(verb, ""))
        if rule is None:
            return 0
        sure = (rule.sure and bool(rule.lands)) or verb in SETTLED_THERE
        self._found[int(tokens[first].strip("\x00"))] = Reading(Role.CHANGE, must_change=sure)
        return at

    def _begin(self, at: int) -> _State:
        """The state at the head of a clause: its verb, or that it has none."""
        self._at = at
        low = self._tokens[at].lower()
        state = _State()
        if low in words.CONDITION or low in words.SUBORDINATE:
            state.away, state.maybe, state.finite = True, low in words.CONDITION, True
            self._at += 1
            return state
        if low in words.NEGATIVE:
            state.negative = True
            self._at += 1
            low = self._peek(0)
        if low == "\x01":
            self._at += 1
            return _State(verb="need", kind="make", negative=state.negative)
        verb = words.GERUNDS.get(low, low) if state.negative else low
        if self._is_called():
            return state
        kind = words.VERBS.get(verb)
        if kind is not None:
            self._at += 1
            state.verb, state.kind = verb, kind
            if verb == "use" and self._peek(0) in {"a", "an", "it", "them"}:
                # "Use a set in F"; "use the set in F" may only say which one.
                state.kind = "employ"
            if verb in {"make", "let"} and self._is_causative():
                state.away, state.finite = True, False
        elif (
            low in words.LANDS | words.SOURCES | {"of", "from", "with"}
            or low in words.SUBJECTS
            or NAME in low
            or not low.replace("-", "").isalpha()
        ):
            state.kind = ""
        else:
            following = self._peek(1)
            statement = following in words.FINITE or THIRD_PERSON.fullmatch(following)
            state.kind = "" if statement and following not in words.VERBS else "other"
            if state.kind:
                state.verb = low
                self._at += 1
        return state

    def _is_called(self) -> bool:
        """`make test should …`: a command by its name, and what it is to do."""
        ahead = self._tokens[self._at + 1 : self._at + 4]
        ought = next((n for n, token in enumerate(ahead) if token.lower() in OUGHT), 0)
        return ought > 0 and all(token.isalpha() for token in ahead[:ought])

    def _is_causative(self) -> bool:
        """`Make the importer skip …`: somebody else is to do it."""
        if self._peek(0) not in {"the", "our", "it", "this", "them", "users", "sure"}:
            return False
        between = 0
        while (token := self._peek(between)) and NAME not in token:
            between += 1
        return between > (2 if self._peek(0) == "the" else 1)

    def _clause_after(self, state: _State, low: str) -> _State | None:
        """The state of a new clause after a boundary; None where the old one goes on."""
        at = self._at + 1
        while at < len(self._tokens) and self._tokens[at].lower() in {
            "then",
            "also",
            "and",
            "please",
            "finally",
            "but",
            "just",
            "-",
        }:
            at += 1
        following = self._tokens[at].lower() if at < len(self._tokens) else ""
        known = following in words.VERBS or following == "\x01"
        negative = following in words.NEGATIVE
        starts = known or negative or (following in words.CONDITION and low != "or")
        if state.away and known and not (state.finite or low in {",", ";", "then", "but"}):
            return None
        if state.away and low == "," and not known and not negative and following:
            # "If there is a new option, please …": the main clause begins here.
            if following in words.SUBJECTS or NAME in following or following in words.CONDITION:
                return None
            starts = state.verb == "" and not state.objects
        if known and self._is_noun(at, state):
            return None
        if not starts:
            return None
        carried = _State(maybe=state.maybe and (state.away or low != ";"))
        new = self._begin(at)
        new.maybe = new.maybe or (carried.maybe and state.away)
        if low == "or":
            new.maybe = True
        return new

    def _is_noun(self, at: int, state: _State) -> bool:
        """A word that could be a verb, but stands in a list of nouns: "tests and format"."""
        after = self._tokens[at + 1].lower() if at + 1 < len(self._tokens) else ""
        return bool(state.verb) and not after

    def _word(self, state: _State, low: str) -> None:
        following = self._peek(1)
        if low in words.SUBORDINATE:
            self._subordinate(state, low, following)
        elif low in words.CONDITION:
            state.away, state.finite = True, True
            state.maybe = state.maybe or low in words.MAYBE
        elif low in words.NEGATIVE:
            # "…, not in main.py": what follows is left out, what stood before is not.
            state.excluded = True
        elif low == "to" and following in words.VERBS and not self._is_value(state):
            state.away, state.finite = True, False
        elif low in words.PREPOSITIONS:
            # "from the docstrings in calc.py" is one source; what is removed is removed there.
            source = state.preposition in {"from", "using", "like"} and not state.taken
            if low not in {"in", "of"} or not source or state.kind in {"remove", "replace"}:
                state.preposition, state.taken = low, False
        elif not state.kind and (low in words.FINITE or THIRD_PERSON.fullmatch(low)):
            state.away, state.finite = True, True
        elif low == "\x02" or (low == "new" and state.verb == "add" and following[:1] in "\x00f"):
            # "Add a new util.py" makes it.
            state.kind, state.preposition = "make", ""

    def _is_value(self, state: _State) -> bool:
        """`Rename run to start in F`: a verb that has nothing to act on is a name here."""
        after = self._peek(2)
        return state.kind in {"move", "set"} and (
            not after.isalpha() or after in words.PREPOSITIONS | words.JOINS
        )

    def _subordinate(self, state: _State, low: str, following: str) -> None:
        if low == "as" and following not in words.SUBJECTS:
            state.preposition = "as"
        elif not (low == "that" and self._peek(-1) in {"", "with", "of", "in", "to"}):
            state.away = True
            state.finite = self._third_person_follows()

    def _third_person_follows(self) -> bool:
        for token in self._tokens[self._at + 1 : self._at + 5]:
            if token.lower() in words.MODALS:
                return False
        return True

    def _peek(self, distance: int) -> str:
        at = self._at + distance
        return self._tokens[at].lower() if 0 <= at < len(self._tokens) else ""

    def _reading(self, state: _State, number: int) -> Reading:
        if state.excluded or state.negative:
            return NOTHING
        if state.kind == "":
            # The subject of a statement is what it is about; what it does is done later.
            return NOTHING if state.away or state.preposition else self._subject()
        if state.away:
            return NOTHING
        if self._peek(-1) in {":", ";", ",", "-", "--"} and self._peek(1) in OUGHT | OUGHT_TO:
            # "Set up the pipeline: F should run the tests" goes on with a statement.
            return self._subject()
        return self._in_clause(state, number)

    def _subject(self) -> Reading:
        """`F should run the tests` wants it to be there; `F stays as it is` wants nothing."""
        said = (self._peek(1), self._peek(2))
        if said[0] in KEEPS or (said[0] in words.FINITE and said[1] in KEEPS | LEFT):
            return NOTHING
        must = said[0] in OUGHT or (said[0] in OUGHT_TO and said[1] == "to")
        return Reading(Role.CHANGE, must_be=must)

    def _in_clause(self, state: _State, number: int) -> Reading:
        rule = RULES[state.kind]
        if not state.preposition and self._peek(1) == "s":
            # "Rename F's function foo": something of the file is the object; the mark is gone.
            inside = bool(rule.lands) and rule.of_object not in {"given", ""}
            sure = rule.sure and (inside or state.verb == "rename")
            return Reading(Role.CHANGE, must_change=True) if sure else NOTHING
        if not state.preposition:
            state.objects.append(number)
            return self._object(rule.of_object, state)
        if state.preposition in rule.lands:
            sure = rule.sure or (state.kind == "repair" and self._repairs_text())
            return Reading(Role.CHANGE, must_change=sure and not state.maybe)
        return self._besides(state, number)

    def _repairs_text(self) -> bool:
        """`Fix the links in F`: what stands in a text can be mended nowhere else."""
        return self._peek(-2) in words.TEXT_PARTS or self._peek(-3) in words.TEXT_PARTS

    def _besides(self, state: _State, number: int) -> Reading:
        """What a preposition means after one verb alone."""
        changed = Reading(Role.CHANGE, must_change=not state.maybe)
        match state.kind:
            case "make" if state.preposition in {"at", "as"}:
                return changed if self._copied(number) else Reading(Role.CREATE)
            case "move":
                return self._moved(state)
            case "replace" if state.preposition == "with" and self._file_object(state):
                return changed
            case _:
                return NOTHING

    def _object(self, wanted: str, state: _State) -> Reading:
        if wanted == "replaced":
            wanted = "gone" if self._another_follows() else "changed"
        if wanted == "given" and state.verb in BRINGS:
            # "Add ../theme as a submodule" brings what is somewhere else.
            wanted = "" if self._is_repository() else "changed"
        match wanted:
            case "changed":
                return Reading(Role.CHANGE, must_change=not state.maybe)
            case "perhaps":
                return Reading(Role.CHANGE)
            case "gone":
                return Reading(Role.REMOVE)
            case "made":
                return self._made(state)
            case _:
                return NOTHING

    def _is_repository(self) -> bool:
        rest = self._tokens[self._at + 1 : self._at + 6]
        return rest[:1] == ["as"] and any(token.lower() in REPOSITORIES for token in rest)

    def _another_follows(self) -> bool:
        """`replace F with G`: one file takes the place of the other."""
        rest = [
            token for token in self._tokens[self._at + 1 :] if token.lower() not in {"the", "a"}
        ]
        return rest[:1] == ["with"] and rest[1:2] != [] and NAME in rest[1]

    def _made(self, state: _State) -> Reading:
        """`make F faster` works on a file that is there; `make F` makes it."""
        after = self._peek(1)
        whole = not after or after in AFTER_OBJECT or NAME in after
        if state.verb == "make" and not whole:
            return Reading(Role.CHANGE)
        return Reading(Role.CREATE)

    def _moved(self, state: _State) -> Reading:
        if state.preposition in {"like", "using"}:
            return NOTHING
        if self._file_object(state):
            return Reading(Role.CHANGE)
        if state.preposition in {"to", "as"} and state.verb == "rename":
            return NOTHING
        return Reading(Role.CHANGE, must_change=not state.maybe)

    def _file_object(self, state: _State) -> list[int]:
        return [
            n for n in state.objects if self._named[n].kind != "loose" or "." in self._named[n].name
        ]

    def _copied(self, number: int) -> bool:
        return any(n < number and r.role is Role.SOURCE for n, r in self._found.items())
