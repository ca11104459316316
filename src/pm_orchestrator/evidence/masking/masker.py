"""Masking: the one place where text loses its secrets before it leaves memory.

Rules are tried in order of priority; a place that one rule has masked is never
looked at again, by a later rule or by a second masking. So masking twice is the
same as masking once.
"""

import json
import re
import string
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property, partial
from typing import NamedTuple
from urllib.parse import quote

from msgspec.structs import replace

from pm_orchestrator.domain.late_pattern import LateBytesPattern, LatePattern
from pm_orchestrator.domain.setup.providers import VENDOR_KEYS
from pm_orchestrator.evidence.masking.randomness import looks_random
from pm_orchestrator.evidence.masking.secret_forms import (
    DIALLED,
    KEY_LIMIT,
    LITERAL,
    LONGEST_NAME,
    MARKER,
    NAMING,
    NAMING_WORDS,
    PEM_BEGIN,
    PEM_BODY,
    PEM_END,
    PERSONAL_RULES,
    PREFIXED,
    PRIVATE_KEY,
    RULES,
    SECRET_NAME,
    SHORTEST_KEY,
    SecretForm,
)

_SECRET_VARIABLE = LatePattern(
    r"PASSW|SECRET|TOKEN|KEY|CREDENTIAL|PWD$|AUTH",
    needs="passw secret token key credential pwd auth",
)
_SHELL_DIRECTORIES = frozenset({"PWD", "OLDPWD"})
"""Where the shell is and was; a directory with a random name is no password."""
_KEY_WORD = frozenset(string.ascii_letters + string.digits + "_.-")
_KEY_SHAPE = bytes(ord("x" if chr(code) in _KEY_WORD else " ") for code in range(256))
_LONG_RUN = b"x" * SHORTEST_KEY
"""In the shape of a text every character that a key can have is an `x`."""
_ESCAPED = LatePattern(r"[bfnrt0]|(?:x|u[0-9A-Fa-f]{2})?[0-9A-Fa-f]{2}|\d{0,3}[mGHJK]")
"""What is left of an escape in front of such a run."""
_SHORTEST_LITERAL = 8
_NAMED_VALUE = LateBytesPattern(
    rb"(?:" + b"|".join(word.encode() for word in NAMING_WORDS) + rb")"
    rb"(?:\\(?:[nrt]|u[0-9a-f]{4}|x[0-9a-f]{2})|\[[0-9;]{0,20}+m|[^a-z0-9:=\xe3\xef]){0,200}+"
    rb"(?:[:=]|(?<=%)3[ad]|\xef\xbc[\x9a\x9d]|\xe3\x81[\x8c\xaf]|(?:is|was)\b)"
    # What is nothing, or a plain yes or no, is no value that could be given away.
    rb"(?!\s{0,8}(?:null|true|false)[\s,}\]])"
    rb"|key(?: \[[^\]\r\n]{0,40}\])?[:\s]{1,8}[\"']?[a-z0-9/+]{40}"
)
"""What must stand in a text for a name to give a value away, however it is written. It begins
with the name, and each begins with one of `NAMING`."""
_NAMED_OPTION = LateBytesPattern(
    rb"--[a-z-]{0,40}(?:" + b"|".join(word.encode() for word in NAMING_WORDS) + rb")\s"
)
_DIALLED_NUMBER = LateBytesPattern(rb"\+\d|\(\d{2,5}\)|\d-\d{1,4}-\d{3}|0[5789]0\d{8}|\xef\xbc\x8d")
"""What is in every telephone number; dates and ids are full of single digits and dashes."""
_WORD = LatePattern(r"[A-Za-z0-9+/_-]{12,400}+")
_PARTS = LatePattern(r"[+/]")
_SHORTEST_LEARNED = 12
_MOST_LEARNED = 200
"""Each costs a look at every text from then on."""
_SHORTEST_KEY_BODY = 16
_SHORT_TEXT = 64
_MOST_CLEAN = 2_000
_KEY_MARKER = f"[MASKED:{PRIVATE_KEY}]"
_FIELD_MARKER = "[MASKED:JSON_CREDENTIAL]"

Pieces = list[str]
"""Plain text and markers in turn, beginning and ending with plain text."""


class Masked(NamedTuple):
    """Text that may leave, and whether anything had to be taken out of it."""

    text: str
    found: bool


def secret_literals(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The values of an environment that must never appear anywhere.

    A value that looks like a word is left out: `DB_PASSWORD=postgres` would
    otherwise blank out every *postgres*.
    """
    return tuple(
        value
        for name, value in environment.items()
        if len(value) >= _SHORTEST_LITERAL
        and name not in _SHELL_DIRECTORIES
        and (name in VENDOR_KEYS or (_SECRET_VARIABLE.search(name.upper()) and looks_random(value)))
    )


class Masker:
    """Takes secrets out of text. `personal` adds e-mail addresses and phone numbers."""

    def __init__(self, literals: Iterable[str] = (), *, personal: bool = False) -> None:
        self._literals = tuple(literals)
        self._literal_rules = tuple(_literal_rules(self._literals))
        self._learned: list[tuple[SecretForm, bytes]] = []
        self._clean: dict[str, int] = {}
        """Short texts without a secret, and how much was learned when they were looked at."""
        self._rules = RULES + PERSONAL_RULES if personal else RULES
        words = {word: word.encode() for rule in self._rules for word in rule.triggers}
        self._any_case = {word: data for word, data in words.items() if word == word.lower()}
        self._exact = {word: data for word, data in words.items() if word != word.lower()}

    @property
    def literals(self) -> tuple[str, ...]:
        """The values it was given, for who has to look for them elsewhere."""
        return self._literals

    def for_log_events(self) -> "Masker":
        """The same masker with personal data counted as sensitive."""
        return self._personal

    @cached_property
    def _personal(self) -> "Masker":
        other = Masker((), personal=True)
        other._literals, other._literal_rules = self._literals, self._literal_rules
        other._learned = self._learned
        return other

    def learn(self, text: str) -> None:
        """From now on what is secret in `text` is secret wherever it comes up.

        What is taken out of an instruction, such as the names in it, has lost the words
        around it by which a password is known.
        """
        masked = self.mask(text)
        if not masked.found:
            return
        left = {*_WORD.findall(masked.text), *(rule.triggers[0] for rule, _ in self._learned)}
        whole = [word for word in _WORD.findall(text) if word not in left]
        # What reads like a path or an address is taken apart on the way.
        gone = dict.fromkeys([*whole, *(part for word in whole for part in _PARTS.split(word))])
        random = [word for word in gone if looks_random(word, _SHORTEST_LEARNED)]
        room = max(0, _MOST_LEARNED - len(self._learned))
        self._learned += _literal_rules(random[:room])

    def mask(self, text: str) -> Masked:
        """The text with every secret replaced by a marker."""
        if self._clean.get(text) == len(self._learned):
            return Masked(text, found=False)
        rules = self._candidates(text.encode("utf-8", "surrogatepass"))
        has_key = "-----BEGIN " in text
        if not rules and not has_key:
            # Half of all that is looked at was looked at before: names of fields, ids.
            if len(text) <= _SHORT_TEXT and len(self._clean) < _MOST_CLEAN:
                self._clean[text] = len(self._learned)
            return Masked(text, found=False)
        pieces = _split_at_markers(text)
        found = False
        while True:
            count = len(pieces)
            if has_key:
                pieces = _each(pieces, _mask_private_keys)
            for rule in rules:
                pieces = _each(pieces, partial(_mask_rule, rule))
            # What is left between two markers may match where the longer text did not.
            if len(pieces) == count:
                return Masked("".join(pieces), found)
            found = True

    def suspects(self, data: bytes) -> bool:
        """Whether it is worth looking at text, still encoded; most of it is not."""
        return b"-----BEGIN " in data or bool(self._candidates(data))

    def _candidates(self, data: bytes) -> list[SecretForm]:
        """The rules worth trying: most text can match none, and says so quickly."""
        low = data.lower()
        candidates = [rule for rule, form in self._literal_rules if form in data]
        if long := _long_words(data):
            found = [rule for rule in PREFIXED if rule.triggers[0] in long]
            candidates += [rule for rule in found if _begins_a_word(rule.triggers[0], long)]
        triggers = {name for name, word in self._any_case.items() if word in low}
        if (names := triggers & NAMING) and not _names_a_value(low, names):
            triggers -= NAMING
        if not triggers.isdisjoint(DIALLED) and not _DIALLED_NUMBER.search(low):
            triggers -= DIALLED
        triggers.update(name for name, word in self._exact.items() if word in data)
        if triggers:
            for rule in self._rules:
                if present := tuple(word for word in rule.triggers if word in triggers):
                    candidates.append(replace(rule, triggers=present))
        # At last: the head of one token is that of many, which are not known without it.
        candidates += [rule for rule, form in self._learned if form in data]
        return candidates

    def mask_field(self, name: str, value: str) -> Masked:
        """The value of a named field: the name alone can make it a secret."""
        if value and SECRET_NAME.fullmatch(name) and MARKER.fullmatch(value) is None:
            return Masked(_FIELD_MARKER, found=True)
        return self.mask(value)


def literal_lines(literals: Iterable[str]) -> set[str]:
    """A value of several lines is looked for line by line: that is how it travels."""
    lines = {line.strip() for literal in literals for line in literal.splitlines()}
    return {line for line in lines if len(line) >= _SHORTEST_LITERAL}


def literal_forms(line: str) -> set[str]:
    """How a value is written: as it is, in JSON and in an address."""
    return {line, json.dumps(line)[1:-1], quote(line)}


def _literal_rules(literals: Iterable[str]) -> Iterable[tuple[SecretForm, bytes]]:
    forms = {form for line in literal_lines(literals) for form in literal_forms(line)}
    for form in sorted(forms, key=len, reverse=True):
        yield SecretForm(LITERAL, (form,), LatePattern(re.escape(form))), form.encode()


def _long_words(data: bytes) -> str:
    """All words of the data that are long enough to be a key, one per line."""
    shape = data.translate(_KEY_SHAPE)
    words: list[bytes] = []
    place = shape.find(_LONG_RUN)
    while place >= 0:
        end = shape.find(b" ", place)
        end = len(shape) if end < 0 else end
        words.append(data[shape.rfind(b" ", 0, place) + 1 : end])
        place = shape.find(_LONG_RUN, end)
    return b"\n".join(words).decode()


def _names_a_value(low: bytes, names: set[str]) -> bool:
    """Looked at where a name begins, and nowhere else: most records have a few of them."""
    for name in names:
        sought = name.encode()
        place = low.find(sought)
        while place >= 0:
            if _NAMED_VALUE.match(low, place):
                return True
            place = low.find(sought, place + 1)
    return b"--" in low and _NAMED_OPTION.search(low) is not None


def _begins_a_word(prefix: str, words: str) -> bool:
    """Whether a key with this prefix can begin somewhere: not within a word, as in `task-`."""
    place = words.find(prefix)
    while place >= 0:
        if not place or not words[place - 1].isalnum():
            return True
        if _ESCAPED.fullmatch(words, words.rfind("\n", 0, place) + 1, place):
            return True
        place = words.find(prefix, place + 1)
    return False


def _lower(text: str) -> str:
    """Lower case with every character in its place: a few letters lower to two."""
    low = text.lower()
    if len(low) == len(text):
        return low
    return "".join(c.lower() if c.isascii() else c for c in text)


def _split_at_markers(text: str) -> Pieces:
    pieces: Pieces = []
    start = 0
    for marker in MARKER.finditer(text):
        pieces += [text[start : marker.start()], marker[0]]
        start = marker.end()
    return [*pieces, text[start:]]


def _each(pieces: Pieces, work: Callable[[str], Pieces]) -> Pieces:
    result: Pieces = []
    for index, piece in enumerate(pieces):
        result.extend(work(piece) if index % 2 == 0 and piece else (piece,))
    return result


def _mask_rule(rule: SecretForm, text: str) -> Pieces:
    pieces: Pieces = []
    done = 0
    for match in _matches(rule, text):
        start, end = match.span()
        if start < done:
            continue
        while start > done and text[start - 1] in rule.lead:
            start -= 1
        if rule.tail is not None and (tail := rule.tail.match(text, end)):
            end = tail.end()
        pieces += [text[done:start], rule.marker]
        done = end
    return [*pieces, text[done:]]


def _matches(rule: SecretForm, text: str) -> Iterator[re.Match[str]]:
    if rule.anchor != "search":
        yield from _anchored_matches(rule, text)
        return
    look = 0
    while match := rule.pattern.search(text, look):
        if rule.accept(match):
            yield match
            look = match.end()
        else:
            look = _resume(match)


def _anchored_matches(rule: SecretForm, text: str) -> Iterator[re.Match[str]]:
    """Much faster than a search: letters in any case keep `re` from skipping ahead."""
    low = _lower(text)
    places: set[int] = set()
    for trigger in rule.triggers:
        where = low if trigger == trigger.lower() else text
        place = where.find(trigger)
        while place >= 0:
            places.add(place if rule.anchor == "trigger" else _quote_before(text, place))
            place = where.find(trigger, place + 1)
    done = 0
    for place in sorted(places):
        match = rule.pattern.match(text, place) if place >= done else None
        if match and rule.accept(match):
            yield match
            done = match.end()


def _quote_before(text: str, place: int) -> int:
    """The quote in front of a name; the name itself, where nothing matches, without one."""
    quote_place = text.rfind('"', max(0, place - LONGEST_NAME), place)
    return place if quote_place < 0 else quote_place


def _resume(match: re.Match[str]) -> int:
    if "value" in match.re.groupindex and match.start("value") > match.start():
        return match.start("value")
    return match.end()


def _mask_private_keys(text: str) -> Pieces:
    pieces: Pieces = []
    done = look = 0
    end = PEM_END.search(text)
    while begin := PEM_BEGIN.search(text, look):
        while end is not None and end.start() < begin.end():
            end = PEM_END.search(text, begin.end())
        if end is not None and end.start() - begin.end() <= KEY_LIMIT:
            stop = end.end()
        else:
            # Cut off before its end: whatever still looks like the body goes.
            body = PEM_BODY.match(text, begin.end())
            stop = body.end() if body else begin.end()
            if len("".join(text[begin.end() : stop].split())) < _SHORTEST_KEY_BODY:
                look = begin.end()
                continue
        pieces += [text[done : begin.start()], _KEY_MARKER]
        done = look = stop
    return [*pieces, text[done:]]
