r"""What a secret looks like: the table of the specification, widened to today's keys.

Every pattern is linear: runs are possessive or bounded, and no two neighbouring
repeats can share a character. Patterns see text that may itself be JSON, where a
line break is the two characters `\n`; so `\n`, `\r`, `\t` and `\"` end a value, and
a key may stand directly behind one of them, or behind a colour of a terminal.
"""

import re
from collections.abc import Callable
from typing import Literal

import msgspec

from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.evidence.masking.randomness import looks_random

Match = re.Match[str]


def _always(_match: Match) -> bool:
    return True


class SecretForm(msgspec.Struct, frozen=True):
    """One kind of secret. The first rule that matches a place wins."""

    name: str
    triggers: tuple[str, ...]
    """Words without one of which the pattern cannot match: a cheap first look. One in lower
    case stands for any case."""
    pattern: LatePattern
    """A group `value` says where to look on when the second look says no."""
    accept: Callable[[Match], bool] = _always
    """A second look at what the pattern found."""
    tail: LatePattern | None = None
    """What else belongs to the secret once it is one; read only then, to stay linear."""
    anchor: Literal["search", "trigger", "quote"] = "search"
    """Where a match can begin: anywhere, at a trigger, or at the quote before a trigger."""
    lead: str = ""
    """Characters directly in front that belong to it."""

    @property
    def marker(self) -> str:
        return f"[MASKED:{self.name}]"


# One word without spaces, up to a quote that closes it or an escape that ends it.
_INNER = r"(?:\\(?![nrt\"'])|[\"'](?![\s,:;)}\]]|\Z))"
_PART = rf"(?:[^\s\\\"']++|{_INNER})"
_WORD = _PART + "++"
# The beginning of such a word: enough to judge it, and no more.
_WINDOW = rf"[^\s\\\"']{{1,64}}+(?:{_INNER}[^\s\\\"']{{0,64}}+){{0,3}}+"
_COLOUR = r"(?:\x1b|\\u001b|\\x1b)\[[0-9;]{0,20}+m"
_GAP = rf"(?:\s|{_COLOUR}){{0,64}}+"
_QUOTE = r"(?:\\{0,7}[\"'])?"
_REST_OF_WORD = LatePattern(_PART + "*+")
_REST_OF_LINE = LatePattern(r"(?:=\"[^\"\r\n]*+\"|\\(?![nr\"])|[^\r\n\"\\])*+")

_SECRET_NAMES = (
    *("password", "passwd", "passphrase", "secret", "apikey", "api_key", "api-key"),
    *("accesstoken", "access_token", "access-token", "refreshtoken", "refresh_token"),
    *("refresh-token", "authtoken", "auth_token", "auth-token", "privatekey", "private_key"),
    *("private-key", "secretkey", "secret_key", "secret-key", "secretaccesskey"),
    *("secret_access_key", "secret-access-key"),
)
NAMING = frozenset({"pass", "pwd", "secret", "token", "key", "credential"})
"""Triggers of the rules by which a name gives its value away."""
NAMING_WORDS = (
    *("password", "passwd", "passphrase", "pwd", "secret", "token", "key", "credentials?"),
)
"""What such a name ends with."""
SECRET_NAME = LatePattern(
    r"token|.*(?:" + "|".join(_SECRET_NAMES) + ")", re.IGNORECASE, needs="token pass secret key"
)
"""Names whose value is a secret whatever it looks like."""
# Looked for from the end of the name, so that other names cost next to nothing.
_NAMED_SECRET = "|".join([r"(?<=\"token)", *(rf"(?<={name})" for name in _SECRET_NAMES)])

LONGEST_NAME = 60
KEY_LIMIT = 64 * 1024
"""A private key's END is looked for this far behind its BEGIN."""
_PEM = r"PRIVATE KEY(?: BLOCK)?-----"
PEM_BEGIN = LatePattern(r"-----BEGIN (?:[A-Z0-9]++ ){0,4}?" + _PEM)
PEM_END = LatePattern(r"-----END (?:[A-Z0-9]++ ){0,4}?" + _PEM)
PEM_BODY = LatePattern(r"[A-Za-z0-9+/=\s\\:,-]*+")

_PLAIN_BEARER = (
    r"(?!(?i:tokens?|auth(?:entication|orization)?|schemes?|headers?|realm|format|credentials?"
    r"|is|are|or|and|in|of|the|with|for|must|should|type|based|only|prefix|value)\b)"
)


def _escaped(text: str) -> str:
    """As it stands in JSON that is plain ASCII."""
    return text.encode("ascii", "backslashreplace").decode()


_JAPANESE = tuple(
    form
    for word in ("パスワード", "トークン", "シークレット", "キー")
    for form in (word, _escaped(word))
)
_IS = "|".join(re.escape(form) for sign in "はが：＝" for form in (sign, _escaped(sign)))
_KEYWORD_MINIMUM = {"key": 16, "token": 12, **dict.fromkeys(_JAPANESE, 12)}
"""`key` and `token` name many harmless things; a password is seldom anything else."""


_OPTION = LatePattern(r"--[A-Za-z-]{0,40}\Z")


def _generic(match: Match) -> bool:
    start = match.start()
    if match["apart"] and not _OPTION.search(match.string, max(0, start - 42), start):
        return False
    minimum = _KEYWORD_MINIMUM.get(match["keyword"].lower(), 8)
    return looks_random(match["value"], minimum)


def _aws_secret(match: Match) -> bool:
    value = match["value"]
    if match["apart"]:
        # A path may be as long; it is made of words.
        return looks_random(value) and _has_all_kinds(value)
    return value != value.lower() and value != value.upper()


_PLAIN = LatePattern(r"[A-Za-z0-9]{20}")


def _openai(match: Match) -> bool:
    # Without `-` and `_` it is the specification's own pattern; with them it could be
    # a CSS class such as `sk-toggleable__label-arrow`.
    body = match["body"]
    return _PLAIN.match(body) is not None or looks_random(body, 16)


def _gitlab(match: Match) -> bool:
    # A branch such as `gldt-remove-old-things` has no capital.
    return match["body"] != match["body"].lower() or looks_random(match["body"], 16)


def _address(match: Match) -> bool:
    value = match["value"]
    return looks_random(value) or (len(value) >= 12 and _has_all_kinds(value))


def _has_all_kinds(value: str) -> bool:
    return all(any(map(kind, value)) for kind in (str.islower, str.isupper, str.isdigit))


def _cookie(match: Match) -> bool:
    return match["line"] is not None or "=" in match["value"] or looks_random(match["value"])


def _bearer(match: Match) -> bool:
    return match["scheme"] == "Bearer" or looks_random(match["value"])


def _has_payload(match: Match) -> bool:
    return match["rest"] is not None


def _authorization(match: Match) -> bool:
    return match["other"] is None or looks_random(match["value"])


def _phone(match: Match) -> bool:
    return 9 <= sum(character.isdigit() for character in match[0]) <= 15


_ESCAPES = (
    *(r"\\[bfnrt0]", r"\\x[0-9A-Fa-f]{2}", r"\\u[0-9A-Fa-f]{4}", r"%[0-9A-Fa-f]{2}"),
    r"[\[;0-9][mGHJK]",
)
"""Ends of what JSON, addresses and terminals write for a character that is none of a word."""


def _key(
    name: str,
    prefix: str,
    body: str,
    accept: Callable[[Match], bool] = _always,
    tail: LatePattern | None = None,
) -> SecretForm:
    r"""A key with a fixed beginning.

    It may not begin inside a word, so that `task-…` and `disk-…` are no `sk-…`; but it
    may follow an escape, whose last character can be a letter. The look behind comes after
    the prefix, because a pattern that begins with plain characters is searched for much
    faster.
    """
    escaped = re.escape(prefix)
    behind = "|".join(f"(?<={escape}{escaped})" for escape in _ESCAPES)
    start = rf"(?:(?<![A-Za-z0-9]{escaped})|{behind})"
    return SecretForm(name, (prefix,), LatePattern(escaped + start + body), accept, tail)


def _long_key(
    name: str, prefix: str, letters: str, least: int, accept: Callable[[Match], bool] = _always
) -> SecretForm:
    """A key of no certain length. Where a line was cut off, what is left of one is shorter."""

    def accepted(match: Match) -> bool:
        body = match["body"]
        return looks_random(body, _SHORTEST_CUT) if len(body) < least else accept(match)

    return _key(name, prefix, rf"(?P<body>[{letters}]{{{_SHORTEST_CUT},}}+)", accepted)


_AWS_SECRET = r"[A-Za-z0-9/+]{40}(?![\w/+])"
_SECRET_BESIDE = LatePattern(rf"(?:\\[nrt]|[\s\"',;:|]){{1,12}}{_AWS_SECRET}")
"""Lists and calls that name both: an id alone opens nothing."""
_SHORTEST_CUT = 11
SHORTEST_KEY = 15
"""Nothing with a prefix is taken for a key that is shorter than this, prefix included."""
# Priority 1: dangerous at once.
PREFIXED: tuple[SecretForm, ...] = (
    _long_key("ANTHROPIC_KEY", "sk-ant-", "A-Za-z0-9_-", 20),
    _long_key("OPENAI_KEY", "sk-", "A-Za-z0-9_-", 20, _openai),
    *(_long_key("GITHUB_TOKEN", f"gh{kind}_", "A-Za-z0-9", 20) for kind in "oprsu"),
    _long_key("GITHUB_TOKEN", "github_pat_", "A-Za-z0-9_", 20),
    *(
        _long_key("GITLAB_TOKEN", f"gl{kind}-", "A-Za-z0-9_.-", 20, _gitlab)
        for kind in ("pat", "ptt", "dt", "rt", "cbt", "ft", "soat")
    ),
    *(
        _key("AWS_KEY", kind, r"[A-Z0-9]{16}(?![A-Za-z0-9])", tail=_SECRET_BESIDE)
        for kind in ("AKIA", "ASIA", "ABIA", "ACCA")
    ),
    _long_key("GOOGLE_KEY", "AIza", "A-Za-z0-9_-", 35),
    _long_key("GOOGLE_TOKEN", "ya29.", "A-Za-z0-9_-", 20),
    _long_key("GOOGLE_TOKEN", "GOCSPX-", "A-Za-z0-9_-", 20),
    _key("SLACK_TOKEN", "xox", r"[abeprs]-[A-Za-z0-9-]{10,}+"),
    _key("SLACK_TOKEN", "xapp-", r"[A-Za-z0-9-]{10,}+"),
    *(
        _key("STRIPE_KEY", f"{kind}k_{mode}_", r"[A-Za-z0-9]{16,}+")
        for kind in "rs"
        for mode in ("live", "test")
    ),
    _long_key("VENDOR_KEY", "npm_", "A-Za-z0-9", 36),
    _long_key("VENDOR_KEY", "pypi-", "A-Za-z0-9_-", 50),
    _long_key("VENDOR_KEY", "hf_", "A-Za-z0-9", 30),
    _long_key("VENDOR_KEY", "gsk_", "A-Za-z0-9", 30),
    _long_key("VENDOR_KEY", "xai-", "A-Za-z0-9", 40),
    _long_key("VENDOR_KEY", "dop_v1_", "a-f0-9", 40),
    _key("VENDOR_KEY", "dapi", r"[a-f0-9]{32,}+"),
    _key("VENDOR_KEY", "SG.", r"[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43,}+"),
    _key("VENDOR_KEY", "AGE-SECRET-KEY-", r"1[A-Z0-9]{50,}+"),
)

RULES: tuple[SecretForm, ...] = (
    # Priority 2: sessions and their tokens.
    SecretForm(
        "JWT",
        ("eyJ",),
        # Takes the whole run even where it is none, so that no run is read twice.
        LatePattern(r"eyJ[A-Za-z0-9_-]*+(?P<rest>\.eyJ[A-Za-z0-9_-]*+(?:\.[A-Za-z0-9_-]*+)?)?"),
        _has_payload,
    ),
    SecretForm(
        "AUTH_HEADER",
        ("authorization",),
        LatePattern(
            rf"(?i:(?:proxy-)?authorization){_QUOTE}{_GAP}[:=]{_GAP}{_QUOTE}"
            rf"(?:[Bb]earer\s{{1,64}}+{_PLAIN_BEARER}{_WORD}"
            rf"|(?P<other>(?i:basic|digest|token|negotiate|apikey)\s{{1,64}}+"
            rf"(?P<value>{_WORD})))"
        ),
        _authorization,
    ),
    SecretForm(
        "SET_COOKIE",
        ("cookie",),
        LatePattern(
            rf"(?P<line>(?<![^\n])S)?(?(line)|[Ss])(?i:et-cookie){_QUOTE}[ \t]{{0,64}}+:"
            rf"[ \t]{{0,64}}+{_QUOTE}(?P<value>[^\s\"'\\;]{{1,64}}+)"
        ),
        _cookie,
        _REST_OF_LINE,
    ),
    SecretForm(
        "COOKIE",
        ("cookie",),
        LatePattern(
            rf"(?P<line>(?<![^\n])C)?(?(line)|[Cc])(?i:ookie){_QUOTE}[ \t]{{0,64}}+:"
            rf"[ \t]{{0,64}}+{_QUOTE}(?P<value>[^\s\"'\\;]{{1,64}}+)"
        ),
        _cookie,
        _REST_OF_LINE,
    ),
    # Priority 3: credentials by their name.
    SecretForm(
        "JSON_CREDENTIAL",
        ("pass", "secret", "token", "key"),
        LatePattern(
            rf"\"[A-Za-z0-9_.-]{{1,{LONGEST_NAME}}}+(?=\\{{0,7}}+\")(?i:{_NAMED_SECRET})\\{{0,7}}+\"{_GAP}:{_GAP}(?P<quote>\\{{0,7}}+\")"
            r"(?:(?!(?<!\\)(?P=quote))[^\r\n])++(?P=quote)?"
        ),
        anchor="quote",
        lead="\\",
    ),
    SecretForm(
        "ENV_CREDENTIAL",
        ("PASSWORD=", "SECRET=", "TOKEN=", "API_KEY="),
        LatePattern(
            r"(?:PASSWORD|SECRET|TOKEN|API_KEY)="
            rf"(?:\"[^\"\r\n]++\"?|'[^'\r\n]++'?|{_WORD})"
        ),
        anchor="trigger",
    ),
    SecretForm(
        "BEARER_TOKEN",
        ("bearer",),
        LatePattern(
            rf"(?P<scheme>[Bb]earer)\s{{1,64}}+{_PLAIN_BEARER}(?P<value>[A-Za-z0-9._~+/=-]++)"
        ),
        _bearer,
    ),
    # Priority 4: anything else that has a telling name and looks random.
    SecretForm(
        "GENERIC_SECRET",
        ("secret",),
        # The length is sure, so that nothing of it has to look like anything.
        LatePattern(
            r"(?i:secret[ _-]?(?:access[ _-]?)?key)(?: \[[^\]\r\n]{0,40}\])?"
            rf"(?:{_QUOTE}{_GAP}(?:[:=]=?|=>){_GAP}|(?P<apart>[ \t]{{1,8}})){_QUOTE}"
            rf"(?P<value>{_AWS_SECRET})"
        ),
        _aws_secret,
        anchor="trigger",
    ),
    SecretForm(
        "GENERIC_SECRET",
        ("pass", "pwd", "secret", "token", "key", "credential", *_JAPANESE),
        LatePattern(
            r"(?P<keyword>(?i:password|passwd|passphrase|pwd|secret|token|key|credentials?)"
            rf"|{'|'.join(map(re.escape, _JAPANESE))}){_QUOTE}\]?"
            rf"(?:{_GAP}(?:=>|[:=]=?|%3[ADad]|{_IS}|(?:is|was)\b)|(?P<apart>[ ])){_GAP}"
            rf"{_QUOTE}(?P<value>{_WINDOW})"
        ),
        _generic,
        _REST_OF_WORD,
        anchor="trigger",
    ),
    SecretForm(
        "URL_CREDENTIAL",
        ("@",),
        LatePattern(r"://[^\s/:@\"'\\]{0,64}+:(?P<value>[^\s/@\"'\\]{1,256}+)(?=@)"),
        _address,
    ),
)

DIALLED = frozenset({"-", "+", "0", "－"})
PERSONAL_RULES: tuple[SecretForm, ...] = (
    SecretForm(
        "EMAIL",
        ("@",),
        LatePattern(
            r"(?<![A-Za-z0-9._%+-])(?!git@)[A-Za-z0-9._%+-]{1,64}+@(?!\d+\.\d)"
            r"(?:[A-Za-z0-9-]{1,63}+\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9])"
        ),
    ),
    SecretForm(
        "PHONE",
        tuple(sorted(DIALLED)),
        # A 13-digit task id has no separators and no leading `+` or `0`.
        LatePattern(
            r"(?<![\w.+-])(?:\+\d{1,3}(?:[ -]?\(?\d{1,4}\)?){2,4}"
            r"|[0０]\d{1,4}[-－]\d{1,4}[-－]\d{3,4}|0[5789]0\d{8}"
            r"|\(0\d{1,4}\) ?\d{1,4}-\d{3,4}|0\d{1,4}\(\d{1,4}\)\d{3,4}"
            r"|\(\d{3}\) ?\d{3}-\d{4}|\d{3}-\d{3}-\d{4})(?![\w-])"
        ),
        _phone,
    ),
)
"""Only in log events: addresses in a project's own files are its own business."""

PRIVATE_KEY = "PRIVATE_KEY"
LITERAL = "ENV_CREDENTIAL"
NAMES = frozenset(
    {PRIVATE_KEY, LITERAL, *(rule.name for rule in (*PREFIXED, *RULES, *PERSONAL_RULES))}
)
MARKER = LatePattern(r"\[MASKED:(?:" + "|".join(sorted(NAMES)) + r")\]", needs="[masked:")
"""Only markers of ours are left alone; anything else in brackets is text."""
